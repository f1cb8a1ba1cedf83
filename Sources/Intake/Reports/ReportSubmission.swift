// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
public import Storage
import Synchronization
import Timestamps

/// A report as an app sends it, not yet checked.
public struct ReportSubmission: Sendable, Equatable {
  /// As typed; national forms need `region`.
  public var number: String
  /// ISO 3166-1 alpha-2.
  public var region: String?
  /// A category's slug.
  public var category: String
  /// The app's own name for its user, 1 to 200 characters.
  public var reporter: String
  /// A UUID that every retry repeats.
  public var reportID: String
  /// RFC 3339; every retry repeats it.
  public var reportedAt: String
  /// At most 500 characters.
  public var comment: String?

  package init(
    number: String, region: String? = nil, category: String, reporter: String, reportID: String, reportedAt: String,
    comment: String? = nil
  ) {
    self.number = number
    self.region = region
    self.category = category
    self.reporter = reporter
    self.reportID = reportID
    self.reportedAt = reportedAt
    self.comment = comment
  }
}

extension ReportSubmission {
  /// How far a phone's clock may be ahead, in seconds: five minutes.
  public static let clockLeeway: TimeInterval = 300

  /// How old a report may be when it arrives, in seconds: 366 days. Older ones have practically no heat.
  public static let greatestAge: TimeInterval = 366 * 86_400

  /// The report to be stored, with the reporter's name replaced by a pseudonym.
  /// - Parameter network: the sender's network from ``Pseudonymizer/network(of:)``; nil when it is unknown.
  /// - Throws: ``InvalidSubmission`` with every field that breaks a rule.
  public func report(
    appID: Int32, at now: Date, pseudonymizer: Pseudonymizer, network: [UInt8]? = nil
  ) throws(InvalidSubmission) -> Report {
    try report(
      appID: appID, at: now, pseudonymizer: pseudonymizer, network: network,
      readNumber: { (text, region) throws(PhoneNumberError) in try PhoneNumber(parsing: text, region: region) })
  }

  /// The same, with numbers read by `readNumber`.
  func report(
    appID: Int32, at now: Date, pseudonymizer: Pseudonymizer, network: [UInt8]?,
    readNumber: (String, String?) throws(PhoneNumberError) -> PhoneNumber
  ) throws(InvalidSubmission) -> Report {
    var problems: [FieldProblem] = []
    func check<Value>(_ rule: () throws(FieldProblem) -> Value) -> Value? {
      do {
        return try rule()
      } catch {
        problems.append(error)
        return nil
      }
    }
    let number = check { () throws(FieldProblem) in try checkedNumber(readNumber) }
    let category = check(checkedCategory)
    let reporter = check(checkedReporter)
    let reportID = check(checkedReportID)
    let reportedAt = check { () throws(FieldProblem) in try checkedTime(now: now) }
    let comment = check(checkedComment)
    guard let number, let category, let reporter, let reportID, let reportedAt, problems.isEmpty else {
      throw InvalidSubmission(problems: problems)
    }
    return Report(
      number: number, appID: appID, reportID: reportID, reportedAt: reportedAt, category: category,
      reporter: pseudonymizer.pseudonym(of: reporter, appID: appID), comment: comment ?? nil, network: network)
  }

  private func checkedNumber(
    _ read: (String, String?) throws(PhoneNumberError) -> PhoneNumber
  ) throws(FieldProblem) -> Int64 {
    do throws(PhoneNumberError) {
      return try read(number, region).digits
    } catch {
      throw FieldProblem(error)
    }
  }

  private func checkedCategory() throws(FieldProblem) -> ReportCategory {
    guard let category = ReportCategory(slug: category) else {
      throw FieldProblem(
        field: "category", code: "unknown_category",
        detail: "Use one of: \(ReportCategory.allCases.map(\.slug).joined(separator: ", ")).")
    }
    return category
  }

  private func checkedReporter() throws(FieldProblem) -> String {
    // A text has at most as many code points as bytes; counting code points takes longer.
    let bytes = reporter.utf8.count
    guard bytes > 0, bytes <= 200 || (bytes <= 800 && reporter.unicodeScalars.count <= 200) else {
      throw FieldProblem(
        field: "reporter", code: "length",
        detail: "Send your own ID of the user, 1 to 200 characters. Only a keyed hash is stored.")
    }
    return reporter
  }

  private func checkedReportID() throws(FieldProblem) -> UUID {
    guard let id = UUID(hyphenated: reportID) ?? UUID(uuidString: reportID) else {
      throw FieldProblem(
        field: "report_id", code: "not_a_uuid", detail: "Send a UUID. Use the same UUID for retries.")
    }
    return id
  }

  private func checkedTime(now: Date) throws(FieldProblem) -> Date {
    guard let time = Timestamp.parse(reportedAt) else {
      throw FieldProblem(
        field: "reported_at", code: "not_a_time", detail: "Send an RFC 3339 time, such as 2026-11-21T12:00:00Z.")
    }
    if time > now.addingTimeInterval(Self.clockLeeway) {
      throw FieldProblem(
        field: "reported_at", code: "in_the_future", detail: "The time is more than 5 minutes in the future.")
    }
    if time < now.addingTimeInterval(-Self.greatestAge) {
      throw FieldProblem(
        field: "reported_at", code: "too_old", detail: "The report is older than one year.")
    }
    return time
  }

  /// The comment; nil for an empty one.
  private func checkedComment() throws(FieldProblem) -> String? {
    guard let comment, !comment.isEmpty else { return nil }
    // PostgreSQL's text has no NUL, and its length is in code points.
    guard comment.unicodeScalars.count <= 500, !comment.unicodeScalars.contains("\0") else {
      throw FieldProblem(
        field: "comment", code: "length", detail: "A comment can have at most 500 characters and no NUL.")
    }
    return comment
  }
}

extension UUID {
  /// Reads `8-4-4-4-12` hex digits of either case; nil for anything else. Foundation's parser uses sscanf, takes about
  /// 1 µs, and accepts slightly more.
  init?(hyphenated text: String) {
    var text = text
    guard let uuid = text.withUTF8({ Self.read($0) }) else { return nil }
    self.init(uuid: uuid)
  }

  private static func read(_ text: UnsafeBufferPointer<UInt8>) -> uuid_t? {
    guard text.count == 36 else { return nil }
    var uuid = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    let isValid = withUnsafeMutableBytes(of: &uuid) { bytes in
      var place = 0
      for index in 0..<16 {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          guard text[place] == UInt8(ascii: "-") else { return false }
          place += 1
        }
        guard let high = digit(text[place]), let low = digit(text[place + 1]) else { return false }
        bytes[index] = high << 4 | low
        place += 2
      }
      return true
    }
    return isValid ? uuid : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Parses numbers for many tasks at once with a cache, because the same numbers are reported repeatedly.
final class NumberReader: Sendable {
  /// The parser with its cache, about 3 MB.
  private let parser = Mutex(PhoneNumberParser(capacity: 65_536))

  /// As `PhoneNumber(parsing:region:)` does.
  func read(_ text: String, region: String?) throws(PhoneNumberError) -> PhoneNumber {
    let remembered = parser.withLockIfAvailable { parser in
      Result { () throws(PhoneNumberError) in try parser.parse(text, region: region) }
    }
    // When the parser is in use, the number is parsed without the cache instead of waiting.
    guard let remembered else { return try PhoneNumber(parsing: text, region: region) }
    return try remembered.get()
  }
}
