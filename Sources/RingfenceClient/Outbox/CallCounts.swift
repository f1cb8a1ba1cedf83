import Foundation

/// Calls of one number on one day, as the API has them.
struct CallItem: Codable, Equatable {
  let number: String
  let region: String?
  var named: Int
  var unknown: Int
  /// In UTC, such as `2026-11-21`.
  let day: String
}

/// A batch of calls, as the API has it.
struct CallBatch: Codable, Equatable {
  let batchID: UUID
  let items: [CallItem]

  enum CodingKeys: String, CodingKey {
    case items
    case batchID = "batch_id"
  }

  /// The server's own bound.
  static let longest = 1_000
}

/// Calls that are counted and in no batch yet.
struct CallCounts: Equatable {
  fileprivate struct Key: Hashable {
    let number: String
    let region: String?
    let day: String
  }

  fileprivate struct Tally: Equatable {
    var named = 0
    var unknown = 0
  }

  private var tallies: [Key: Tally] = [:]

  var count: Int { tallies.count }
  var isEmpty: Bool { tallies.isEmpty }

  /// Whether the item would be a new line.
  func isNew(_ item: CallItem) -> Bool { tallies[Key(item)] == nil }

  mutating func add(_ item: CallItem) {
    tallies[Key(item), default: Tally()].add(item, sign: 1)
  }

  /// Takes out what a batch holds.
  mutating func remove(_ item: CallItem) {
    let key = Key(item)
    tallies[key]?.add(item, sign: -1)
    if let rest = tallies[key], rest.named <= 0, rest.unknown <= 0 { tallies[key] = nil }
  }

  /// Takes out a whole day.
  mutating func remove(day: String) { tallies = tallies.filter { $0.key.day != day } }

  /// In an order that depends on nothing else.
  var items: [CallItem] {
    tallies.map { key, tally in
      CallItem(number: key.number, region: key.region, named: tally.named, unknown: tally.unknown, day: key.day)
    }.sorted { ($0.day, $0.number, $0.region ?? "") < ($1.day, $1.number, $1.region ?? "") }
  }
}

extension CallCounts.Key {
  init(_ item: CallItem) { self.init(number: item.number, region: item.region, day: item.day) }
}

extension CallCounts.Tally {
  /// The server refuses more than a million in one item.
  mutating func add(_ item: CallItem, sign: Int) {
    named = min(1_000_000, named + sign * item.named)
    unknown = min(1_000_000, unknown + sign * item.unknown)
  }
}
