// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import PhoneNumbers
import Storage
import Synchronization
import Support

/// A report on its way to the intake.
package protocol IncomingReport: Sendable {
  /// The app's own name for its user.
  var reporter: String { get }
  /// The address of the user, where the app's server sends it.
  var clientAddress: String? { get }
  /// When the report was made, as far as that can be read.
  var madeAt: Date? { get }
  /// - Throws: ``InvalidSubmission`` with every field that breaks a rule.
  func checked(at now: Date) throws(InvalidSubmission) -> CheckedReport
}

/// A report whose fields keep every rule.
package struct CheckedReport: IncomingReport {
  let number: Int64
  let category: ReportCategory
  package let reporter: String
  let reportID: UUID
  let reportedAt: Date
  let comment: String?
  /// The start of the UTC day on which the app made the account of its user.
  private let reporterSince: Date?
  package let clientAddress: String?
  /// Whether the numbering plan does not have the number.
  fileprivate(set) var isUnassigned = false
  package var verification: CallVerification?
  fileprivate(set) var isAttested = false

  /// - Parameters:
  ///   - reporter: the app's own name for its user, 1 to 200 characters.
  ///   - reportedAt: is stored in whole seconds.
  ///   - comment: at most ``CommentRule/maxLength`` characters and no NUL.
  package init(
    _ number: PhoneNumber, category: ReportCategory, reporter: String, reportID: UUID, reportedAt: Date,
    comment: String? = nil
  ) {
    self.init(
      number: number.digits, category: category, reporter: reporter, reportID: reportID,
      reportedAt: Date(timeIntervalSince1970: reportedAt.timeIntervalSince1970.rounded(.down)),
      comment: comment?.isEmpty == true ? nil : comment, reporterSince: nil, clientAddress: nil)
    isUnassigned = !number.isValid
  }

  fileprivate init(
    number: Int64, category: ReportCategory, reporter: String, reportID: UUID, reportedAt: Date, comment: String?,
    reporterSince: Date?, clientAddress: String?
  ) {
    self.number = number
    self.category = category
    self.reporter = reporter
    self.reportID = reportID
    self.reportedAt = reportedAt
    self.comment = comment
    self.reporterSince = reporterSince
    self.clientAddress = clientAddress
  }

  package var madeAt: Date? { reportedAt }

  package func checked(at now: Date) -> CheckedReport { self }

  /// The report to be stored, with the reporter's name and address replaced by pseudonyms.
  /// - Parameter network: the network of the connection, for a report without the address of its user.
  func report(appID: Int32, pseudonymizer: Pseudonymizer, network: [UInt8]?) -> Report {
    var report = Report(
      number: number, appID: appID, reportID: reportID, reportedAt: reportedAt, category: category,
      reporter: pseudonymizer.pseudonym(of: reporter, appID: appID), comment: comment,
      network: clientAddress.map(pseudonymizer.network(of:)) ?? network)
    report.reporterSince = reporterSince
    report.isUnassigned = isUnassigned
    return report
  }
}

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
  public var reportedAt: String { didSet { madeAt = Timestamp.parse(reportedAt) } }
  /// The time of ``reportedAt``; nil where it is none.
  package private(set) var madeAt: Date?
  /// At most ``CommentRule/maxLength`` characters.
  public var comment: String?
  /// The UTC day on which the app made the account of its user, `2026-03-05`; only from keys with the scope vouch.
  public var reporterSince: String?
  /// The IPv4 or IPv6 address of the user; only from keys with the scope vouch.
  public var clientAddress: String?
  /// The network's verification of the caller's number: a word, or a value of `verstat`; see ``CallVerification``.
  public var verification: String?
  /// Whether a phone that has attested sends it.
  package var isAttested = false

  package init(
    number: String, region: String? = nil, category: String, reporter: String, reportID: String, reportedAt: String,
    comment: String? = nil, reporterSince: String? = nil, clientAddress: String? = nil, verification: String? = nil
  ) {
    self.number = number
    self.region = region
    self.category = category
    self.reporter = reporter
    self.reportID = reportID
    self.reportedAt = reportedAt
    madeAt = Timestamp.parse(reportedAt)
    self.comment = comment
    self.reporterSince = reporterSince
    self.clientAddress = clientAddress
    self.verification = verification
  }
}

extension ReportSubmission: IncomingReport {
  /// How far a phone's clock may be ahead, in seconds: five minutes.
  static let clockLeeway: TimeInterval = 300

  /// How old a report may be when it arrives, in seconds: 366 days. Older ones have practically no heat.
  package static let maxAge: TimeInterval = 366 * 86_400

  package func checked(at now: Date) throws(InvalidSubmission) -> CheckedReport {
    var problems: [FieldProblem] = []
    func check<Value>(_ rule: () throws(FieldProblem) -> Value) -> Value? {
      do {
        return try rule()
      } catch {
        problems.append(error)
        return nil
      }
    }
    let number = check(checkedNumber)
    let category = check(checkedCategory)
    let reporter = check(checkedReporter)
    let reportID = check(checkedReportID)
    let reportedAt = check { () throws(FieldProblem) in try checkedTime(now: now) }
    let comment = check(checkedComment)
    let reporterSince = check { () throws(FieldProblem) in try checkedReporterSince(now: now) }
    let clientAddress = check(checkedClientAddress)
    let verification = check(checkedVerification)
    guard let number, let category, let reporter, let reportID, let reportedAt, problems.isEmpty else {
      throw InvalidSubmission(problems: problems)
    }
    var report = CheckedReport(
      number: number.number.digits, category: category, reporter: reporter, reportID: reportID, reportedAt: reportedAt,
      comment: comment ?? nil, reporterSince: reporterSince ?? nil, clientAddress: clientAddress ?? nil)
    report.isUnassigned = !number.isAssigned
    (report.verification, report.isAttested) = (verification ?? nil, isAttested)
    return report
  }

  private func checkedVerification() throws(FieldProblem) -> CallVerification? {
    guard let verification else { return nil }
    guard let known = CallVerification(verification) else {
      throw FieldProblem(
        field: "verification", code: "unknown_verification",
        detail: VisibleText.refusal(of: verification, allowing: CallVerification.allCases.map(\.rawValue)))
    }
    return known
  }

  private func checkedNumber() throws(FieldProblem) -> PossibleNumber {
    do throws(PhoneNumberError) {
      return try PhoneNumber.parsePossible(number, region: region)
    } catch {
      throw FieldProblem(error)
    }
  }

  private func checkedCategory() throws(FieldProblem) -> ReportCategory {
    guard let known = ReportCategory(slug: category) else {
      throw FieldProblem(
        field: "category", code: "unknown_category",
        detail: VisibleText.refusal(of: category, allowing: ReportCategory.allCases.map(\.slug)))
    }
    return known
  }

  private func checkedReporter() throws(FieldProblem) -> String {
    // A text has at most as many code points as bytes; counting code points takes longer.
    let bytes = reporter.utf8.count
    let most = TextLimit.reporter
    guard bytes > 0, bytes <= most || (bytes <= 4 * most && reporter.unicodeScalars.count <= most) else {
      throw FieldProblem(
        field: "reporter", code: "length",
        detail: "Send your own ID of the user, 1 to \(most) characters. Only a keyed hash is stored.")
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
    guard let time = madeAt else {
      throw FieldProblem(
        field: "reported_at", code: "not_a_time", detail: "Send an RFC 3339 time, such as 2026-11-21T12:00:00Z.")
    }
    if time > now.addingTimeInterval(Self.clockLeeway) {
      throw FieldProblem(
        field: "reported_at", code: "in_the_future", detail: "The time is more than 5 minutes in the future.")
    }
    if time < now.addingTimeInterval(-Self.maxAge) {
      throw FieldProblem(
        field: "reported_at", code: "too_old", detail: "The report is older than one year.")
    }
    return time
  }

  /// Nil for an empty comment.
  private func checkedComment() throws(FieldProblem) -> String? {
    guard let comment, !comment.isEmpty else { return nil }
    guard CommentRule.allows(comment) else {
      throw FieldProblem(
        field: "comment", code: "length",
        detail: "A comment can have at most \(CommentRule.maxLength) characters and no NUL.")
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

/// How many numbers that are not in the numbering plan each app may report in a day: fresh area codes are few, and invented
/// numbers would fill the database. Each server counts for itself.
final class UnassignedNumbers: Sendable {
  /// The most numbers of an app in a UTC day.
  static let maxByDay = 1_000

  private let taken = Mutex<(day: Int32, numbers: [Int32: Set<Int64>])>((0, [:]))
  private let areStored = Mutex(false)

  /// As ``HoldStore/takesUnassigned()``, which never becomes false again.
  func areStored(in store: ReportStore) async throws -> Bool {
    if areStored.withLock({ $0 }) { return true }
    guard try await store.takesUnassigned() else { return false }
    areStored.withLock { $0 = true }
    return true
  }

  /// Whether the app may report the number today. A number counts once.
  func take(_ number: Int64, from appID: Int32, at time: Date) -> Bool {
    let day = ComplaintDays.day(of: time)
    return taken.withLock { taken in
      if taken.day != day { taken = (day, [:]) }
      let count = taken.numbers[appID]?.count ?? 0
      return count < Self.maxByDay
        ? {
          taken.numbers[appID, default: []].insert(number); return true
        }()
        : taken.numbers[appID]?.contains(number) == true
    }
  }
}
