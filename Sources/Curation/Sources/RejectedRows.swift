// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The rows of a file that were rejected because they cannot be read: counts by reason, and examples. Rows about numbers
/// that the numbering plan does not have are counted apart: they are stored, but nothing shows their numbers.
public struct RejectedRows: Sendable, Equatable, Codable {
  public struct Example: Sendable, Equatable, Codable {
    /// The line of the file, or the place of an entry in JSON and XML, from 1.
    public let row: Int
    /// The beginning of its text, at most ``maxCharacters`` Unicode scalars, with the codes of those that are not visible.
    public let text: String
    /// The code of the reason.
    public let reason: String
  }

  static let maxExamples = 5
  /// The most Unicode scalars of an example.
  static let maxCharacters = 80
  /// Fewer rejected rows than this many, or than this share of the rows, are not worth an event.
  private static let notable = (rows: 10, share: 0.01)

  /// Rows of the file, including rejected ones.
  public var rows = 0
  public private(set) var count = 0
  /// Rejected rows by the code of the reason.
  public private(set) var reasons: [String: Int] = [:]
  /// The first rejected rows.
  public private(set) var examples: [Example] = []

  /// Rows with a number of a possible length that the plan does not have; nil in what former versions have stored.
  private var unassignedRows: Int?

  /// Rows with a number of a possible length that the plan does not have; they are not rejected.
  public var unassigned: Int {
    get { unassignedRows ?? 0 }
    set { unassignedRows = newValue }
  }

  public init() {}

  /// Counts a rejected row, which is among ``rows`` already.
  /// - Parameter text: its beginning; read only for an example.
  public mutating func add(row: Int, reason: String, text: @autoclosure () -> some StringProtocol) {
    count += 1
    reasons[reason, default: 0] += 1
    guard examples.count < Self.maxExamples else { return }
    examples.append(Example(row: row, text: Self.visible(text()), reason: reason))
  }

  /// Counts the rows of unassigned numbers as rejected.
  public mutating func rejectUnassigned(reason: String) {
    count += unassigned
    reasons[reason, default: 0] += unassigned
    unassigned = 0
  }

  /// Adds the rows of a later file that has only changes. Its examples come first.
  public mutating func add(changes later: RejectedRows) {
    rows += later.rows
    count += later.count
    unassigned += later.unassigned
    reasons.merge(later.reasons, uniquingKeysWith: +)
    examples = Array((later.examples + examples).prefix(Self.maxExamples))
  }

  /// The part of the rows that is rejected, 0 to 1.
  public var share: Double { rows > 0 ? Double(count) / Double(rows) : 0 }

  /// Rows that are rejected, or about numbers that the plan does not have: many of them are a sign of another format, or of
  /// another region.
  package var suspect: Int { count + unassigned }

  /// Whether more than a third of the rows is suspect.
  public var exceedsThird: Bool { suspect * 3 > rows }

  /// The reasons, the most frequent one first.
  public var sortedReasons: [(code: String, count: Int)] {
    reasons.map { (code: $0.key, count: $0.value) }.sorted { ($1.count, $0.code) < ($0.count, $1.code) }
  }

  /// Whether the share is at least twice as high as of the former version, and not by a few rows; false for the first one.
  public func hasDoubled(since former: RejectedRows) -> Bool {
    former.rows > 0 && count >= Self.notable.rows && share >= max(Self.notable.share, 2 * former.share)
  }

  /// As stored.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts and integers can always be encoded.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  public init?(json: String) {
    guard let value = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
    self = value
  }

  /// The beginning of a stranger's text, in which every scalar is visible: `\u{202E}` for one that changes the direction.
  private static func visible(_ text: some StringProtocol) -> String {
    let kept = text.unicodeScalars.prefix(maxCharacters)
    let isCut = kept.endIndex < text.unicodeScalars.endIndex
    return kept.reduce(into: "") { shown, scalar in
      switch scalar.properties.generalCategory {
      case .spaceSeparator where scalar == " ": shown.unicodeScalars.append(scalar)
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .unassigned,
        .surrogate:
        shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: shown.unicodeScalars.append(scalar)
      }
    } + (isCut ? "…" : "")
  }
}
