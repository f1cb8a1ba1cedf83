// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// The calls of one number on one day, in the form of the API.
struct CallItem: Codable, Equatable {
  let number: String
  let region: String?
  var named: Int
  var unknown: Int
  /// The day in UTC, such as `2026-11-21`.
  let day: String
}

/// A batch of calls, in the form of the API.
struct CallBatch: Codable, Equatable {
  let batchID: UUID
  let items: [CallItem]

  enum CodingKeys: String, CodingKey {
    case items
    case batchID = "batch_id"
  }

  /// The most items of a batch that the server accepts.
  static let longest = 1_000
}

/// Counts of calls that belong to no batch yet.
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

  /// Returns whether the item would be a new line.
  func isNew(_ item: CallItem) -> Bool { tallies[Key(item)] == nil }

  mutating func add(_ item: CallItem) {
    tallies[Key(item), default: Tally()].add(item, sign: 1)
  }

  /// Subtracts the counts of a batch's item.
  mutating func remove(_ item: CallItem) {
    let key = Key(item)
    tallies[key]?.add(item, sign: -1)
    if let rest = tallies[key], rest.named <= 0, rest.unknown <= 0 { tallies[key] = nil }
  }

  /// Removes all counts of a day.
  mutating func remove(day: String) { tallies = tallies.filter { $0.key.day != day } }

  /// The counts in a fixed order.
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
  /// Adds or subtracts an item; the server refuses more than a million in one item.
  mutating func add(_ item: CallItem, sign: Int) {
    named = min(1_000_000, named + sign * item.named)
    unknown = min(1_000_000, unknown + sign * item.unknown)
  }
}

/// The days by which the server counts calls.
enum UTCDay {
  /// Returns the day of a time, such as `2026-11-21`.
  static func text(of time: Date) -> String { String(time.documentTime.prefix(10)) }

  /// Returns the seconds until the next day starts.
  static func secondsLeft(at time: Date) -> Double {
    86_400 - time.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400)
  }
}
