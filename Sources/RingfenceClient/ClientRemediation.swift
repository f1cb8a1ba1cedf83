// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The class of a call whose number a list contains: neither the number nor the time. The app knows it from its own entry
/// for the number, or from the evidence file of the pack.
///
/// ```swift
/// try await client.countRemediation(ClientRemediation(pack: "block", blocks: true), .blocked)
/// ```
public struct ClientRemediation: Sendable, Codable, Hashable {
  /// The fate of a call, or an override.
  public enum Outcome: String, Sendable, Codable {
    /// The call rang without a label, although the list contains its number.
    case matched
    /// The call did not ring.
    case blocked
    /// The call rang under a label.
    case labeled
    /// The user ended the block or the label of a number. It is not a call.
    case overridden
  }

  /// The name of the pack in the manifest.
  public let pack: String
  /// The treatment in the pack: `block` or `identify`.
  public let treatment: String
  /// The reason of the listing: `reports`, `source`, `decision` or `range`; nil where the app does not know it.
  public let origin: String?
  /// The name of the list, only with the origin `source`.
  public let source: String?
  /// The band of the score: `low` for fewer than 5 reporters, `medium` for fewer than 50, `high`.
  public let score: String?
  /// The band of the last complaint's age: `week`, `month`, `quarter` or `older`.
  public let age: String?
  /// The type of the number, such as `mobile` or `fixed_line`.
  public let numberType: String?

  enum CodingKeys: String, CodingKey {
    case pack, treatment, origin, source, score, age
    case numberType = "number_type"
  }

  /// Creates a class. Values that the server does not know make it refuse the counts of the day.
  /// - Parameters:
  ///   - pack: the name of the pack in the manifest.
  ///   - blocks: whether the entry blocks; otherwise it labels.
  ///   - origin: `reports`, `source`, `decision` or `range`.
  ///   - source: the name of the list, only with the origin `source`.
  ///   - score: `low`, `medium` or `high`.
  ///   - age: `week`, `month`, `quarter` or `older`.
  ///   - numberType: such as `mobile`.
  public init(
    pack: String, blocks: Bool, origin: String? = nil, source: String? = nil, score: String? = nil,
    age: String? = nil, numberType: String? = nil
  ) {
    (self.pack, treatment) = (pack, blocks ? "block" : "identify")
    // The server takes a source only with its origin, and that origin only with a source.
    let isSource = origin == "source"
    (self.origin, self.source) = (isSource && source == nil ? nil : origin, isSource ? source : nil)
    (self.score, self.age, self.numberType) = (score, age, numberType)
  }

  var sortText: String {
    [pack, treatment, origin ?? "", source ?? "", score ?? "", age ?? "", numberType ?? ""].joined(separator: " ")
  }
}

/// One counted call, as the outbox stores it.
struct RemediationItem: Codable, Equatable {
  let day: String
  let call: ClientRemediation
  let outcome: ClientRemediation.Outcome
}

/// Counts of calls by day and class.
struct RemediationCounts {
  /// The limit of the server for an installation and day: calls, and overrides.
  static let limit = 10
  /// The server refuses older days.
  static let maxAgeInDays = 3

  private(set) var items: [RemediationItem] = []

  /// Returns whether an item is within the limit of its day.
  func allows(_ item: RemediationItem) -> Bool {
    items.count {
      $0.day == item.day && ($0.outcome == .overridden) == (item.outcome == .overridden)
    } < Self.limit
  }

  /// Items of a damaged file may exceed the limit.
  mutating func add(_ item: RemediationItem) { if allows(item) { items.append(item) } }
  mutating func remove(day: String) { items.removeAll { $0.day == day } }

  /// Days before one, the oldest first.
  func days(before today: String) -> [String] { Set(items.map(\.day)).filter { $0 < today }.sorted() }

  /// The body of a request.
  func body(of day: String) -> [UInt8] {
    struct Body: Encodable {
      let day: String
      let counts: [[String: Field]]
    }
    /// A member's value.
    enum Field: Encodable {
      case text(String)
      case count(Int)

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .count(let count): try container.encode(count)
        }
      }
    }
    let rows = Dictionary(grouping: items.filter { $0.day == day }, by: \.call)
    let counts = rows.sorted { $0.key.sortText < $1.key.sortText }.map { call, items in
      var row: [String: Field] = [
        "pack": .text(call.pack), "treatment": .text(call.treatment),
        "matched": .count(items.count { $0.outcome != .overridden }),
      ]
      for (name, value) in [
        ("origin", call.origin), ("source", call.source), ("score", call.score), ("age", call.age),
        ("number_type", call.numberType),
      ] { row[name] = value.map(Field.text) }
      for outcome in [ClientRemediation.Outcome.blocked, .labeled, .overridden] {
        row[outcome.rawValue] = .count(items.count { $0.outcome == outcome })
      }
      return row
    }
    return Outbox.json(Body(day: day, counts: counts))
  }
}
