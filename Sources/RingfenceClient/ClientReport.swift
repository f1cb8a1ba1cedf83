// SPDX-License-Identifier: Apache-2.0

import CallerPack
public import Foundation

/// A report of one user about a number. Its id and time are fixed when it is created, so that every retry sends the
/// same report.
///
/// ```swift
/// let report = try ClientReport(number: "030 1234", region: "DE", category: "fraud", reporter: userID)
/// try await client.report(report)
/// ```
///
/// The number and the comment do not appear in its description, its mirror, or a debugger's dump.
public struct ClientReport: Sendable, Codable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The number as the user entered it; a national number needs ``region``.
  public let number: String
  /// The region of a national number: ISO 3166-1 alpha-2.
  public let region: String?
  /// The category, such as `fraud`.
  public let category: String
  /// The app's own identifier of its user, 1 to 200 characters; the server stores a keyed hash of it.
  public let reporter: String
  /// The id, which every retry repeats and a withdrawal names.
  public let reportID: UUID
  /// The time of the report: RFC 3339, in whole seconds.
  public let reportedAt: String
  /// The comment: at most ``maxCommentLength`` characters.
  public let comment: String?
  /// The UTC day on which the app made the account of its user, such as `2026-03-05`.
  public let reporterSince: String?
  /// The IPv4 or IPv6 address of the user.
  public let clientAddress: String?
  /// The network's verification of the caller's number: `passed`, `failed` or `none`; nil where it is not known.
  public let verification: String?

  /// The most characters of a comment, by the rule of the server.
  public static let maxCommentLength = 500

  enum CodingKeys: String, CodingKey {
    case number, region, category, reporter, comment, verification
    case reportID = "report_id"
    case reportedAt = "reported_at"
    case reporterSince = "reporter_since"
    case clientAddress = "client_address"
  }

  /// Creates a report.
  /// - Parameters:
  ///   - number: 1 to 64 bytes.
  ///   - region: two letters; needed for a national number.
  ///   - category: such as `fraud`.
  ///   - reporter: 1 to 200 characters.
  ///   - comment: at most ``maxCommentLength`` characters.
  ///   - time: the time of the user's action.
  ///   - reportID: a new id, unless the app has one of its own.
  ///   - reporterSince: when the app made the account of its user; only from the app's server, whose key has the scope
  ///     `vouch`.
  ///   - clientAddress: the address from which the user reports, without a port; only from the app's server, too.
  ///   - verification: the network's verification of the caller's number, `passed`, `failed` or `none`; nil where it is not known.
  /// - Throws: ``ClientError/invalid(field:rule:)`` for a field that the server would refuse without parsing the
  ///   number.
  public init(
    number: String, region: String? = nil, category: String, reporter: String, comment: String? = nil,
    at time: Date = Date(), reportID: UUID = UUID(), reporterSince: Date? = nil, clientAddress: String? = nil,
    verification: String? = nil
  ) throws(ClientError) {
    guard (1...64).contains(number.utf8.count) else { throw .invalid(field: "number", rule: "1 to 64 bytes.") }
    guard (1...64).contains(category.utf8.count) else { throw .invalid(field: "category", rule: "1 to 64 bytes.") }
    guard region.map({ $0.utf8.count == 2 }) ?? true else { throw .invalid(field: "region", rule: "Two letters.") }
    guard (1...200).contains(reporter.unicodeScalars.count) else {
      throw .invalid(field: "reporter", rule: "1 to 200 characters.")
    }
    guard comment.map({ $0.unicodeScalars.count <= Self.maxCommentLength && !$0.unicodeScalars.contains("\0") }) ?? true
    else {
      throw .invalid(field: "comment", rule: "At most \(Self.maxCommentLength) characters, none of them NUL.")
    }
    guard clientAddress.map({ (2...45).contains($0.utf8.count) }) ?? true else {
      throw .invalid(field: "client_address", rule: "An IPv4 or IPv6 address without a port.")
    }
    guard verification.map({ ["passed", "failed", "none"].contains($0) }) ?? true else {
      throw .invalid(field: "verification", rule: "passed, failed or none.")
    }
    self.number = number
    self.region = region
    self.category = category
    self.reporter = reporter
    self.comment = comment
    self.reportID = reportID
    reportedAt = time.documentTime
    self.reporterSince = reporterSince.map(UTCDay.text)
    self.clientAddress = clientAddress
    self.verification = verification
  }

  /// The id of the report, without its content.
  public var description: String { "report \(reportID)" }

  /// A mirror with the id alone.
  public var customMirror: Mirror { Mirror(self, children: ["reportID": reportID]) }
}
