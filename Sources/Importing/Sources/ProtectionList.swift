// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import Storage

/// A list of numbers and patterns that its owner wants to be protected. The owner is a stranger: patterns of few digits are
/// refused, and so are long lists.
public struct ProtectionList: Sendable {
  /// An entry that cannot be used.
  public struct Refusal: Sendable {
    /// The line of the file, or the place in its list, from 1.
    public let place: Int
    /// The entry, cut.
    public let text: String
    public let error: ProtectedPatternError
  }

  /// MISP's warning list; a test has the form of <https://github.com/MISP/misp-warninglists>.
  private struct WarningList: Decodable {
    let name: String
    let description: String?
    let type: String?
    let matching_attributes: [String]?
    let list: [String]
  }

  static let maxBytes = 16 << 20

  /// Each number and pattern once, with its reason.
  public private(set) var targets: [(target: ProtectionTarget, reason: String)] = []
  public private(set) var refusals: [Refusal] = []
  /// The entries, and those that were left out by reason.
  public private(set) var rejected = RejectedRows()
  private var known: Set<String> = []
  private var patterns = 0

  /// - Parameters:
  ///   - format: one that protects.
  ///   - region: ISO 3166 code of numbers in national form; nil where all numbers are international.
  ///   - reason: of entries without their own, 1 to 200 characters; nil for the description of the list.
  ///   - name: of the list, in place of a missing reason.
  /// - Throws: ``SourceFailure`` for a file that cannot be read, or is too long.
  public init(
    _ data: Data, as format: SourceFormat, region: String? = nil, reason: String? = nil, named name: String
  ) throws(SourceFailure) {
    guard data.count <= Self.maxBytes else { throw .answerTooLong(maximumBytes: Self.maxBytes) }
    if format == .mispWarningList {
      guard let list = try? JSONDecoder().decode(WarningList.self, from: data) else {
        throw .unreadable("it is not the JSON of a warning list with name and list")
      }
      guard list.type ?? "string" == "string" else {
        throw .unreadable("its type is not string")
      }
      guard list.matching_attributes?.contains("phone-number") ?? true else {
        throw .unreadable("it is not about phone numbers (phone-number in matching_attributes)")
      }
      let own = Self.line(list.description) ?? Self.line(list.name)
      for (index, text) in list.list.enumerated() {
        try take(text, reason ?? own ?? name, place: index + 1, region: region)
      }
    } else {
      guard let text = String(validating: data, as: UTF8.self) else { throw .unreadable("it is not UTF-8 text") }
      // On Windows a line ends with "\r\n", which is one Character.
      let lines = text.drop { $0 == "\u{FEFF}" }.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      for (index, line) in lines.enumerated() {
        let columns = line.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespaces) }
        guard let first = columns.first, !first.isEmpty, !CommentLine.begins(first) else { continue }
        let own = columns.count > 1 ? Self.line(columns[1]) : nil
        try take(first, own ?? reason ?? name, place: index + 1, region: region)
      }
    }
  }

  private static func line(_ text: String?) -> String? {
    text.flatMap {
      try? RuleViolation.line(
        String($0.prefix(TextLimit.protectionReason)), "reason", atMost: TextLimit.protectionReason)
    }
  }

  private mutating func take(_ text: String, _ reason: String, place: Int, region: String?) throws(SourceFailure) {
    rejected.rows += 1
    do throws(ProtectedPatternError) {
      let target = try Self.target(text, region: region)
      guard known.insert(target.text).inserted else { return }
      targets.append((target, reason))
      if case .pattern = target { patterns += 1 }
    } catch {
      rejected.add(row: place, reason: error.rawValue, text: text)
      refusals.append(Refusal(place: place, text: String(text.prefix(40)), error: error))
    }
    guard targets.count <= ProtectionStore.maxTargetsOfSource else {
      throw .tooManyEntries(maximum: ProtectionStore.maxTargetsOfSource)
    }
    guard patterns <= ProtectionStore.maxPatternsOfSource else {
      throw .tooManyEntries(maximum: ProtectionStore.maxPatternsOfSource)
    }
  }

  private static func target(_ text: String, region: String?) throws(ProtectedPatternError) -> ProtectionTarget {
    let target = try ProtectionTarget(reading: text, region: region)
    if case .pattern(let pattern) = target, !pattern.isNarrow { throw .tooWideForList }
    return target
  }
}
