// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A report ready to be stored: parsed and checked, with the reporter's pseudonym.
public struct Report: Sendable, Equatable {
  /// E.164 digits, 1 to 999,999,999,999,999.
  public var number: Int64
  public var appID: Int32
  /// Chosen by the client; the same for every retry.
  public var reportID: UUID
  /// When the report was made, by the client's clock; the same for every retry. Stored to the microsecond.
  public var reportedAt: Date
  /// The category of the call, or "legitimate".
  public var category: ReportCategory
  /// Keyed hash of the reporter, 16 bytes; nil for lists, whose rows do not count as reporters.
  public var reporter: [UInt8]?
  /// The weight, above 0; 1 is a reporter's report.
  public var weight: Float
  /// At most 500 characters.
  public var comment: String?
  /// Keyed hash of the sender's network, 8 bytes; not part of a retry's identity.
  public var network: [UInt8]?
  /// The key it was sent with; nil for lists. Not part of a retry's identity.
  public var keyID: Int32?
  /// The start of the day, in UTC, on which the app made the reporter's account, as its server says; nil where it does
  /// not. Not part of a retry's identity.
  public var reporterSince: Date?
  /// When the report counts as received; nil for now. See ``countOnOwnDay(at:hasOwnNetwork:)``.
  public var arrivedAt: Date?
  /// Whether the numbering plan does not have the number: it is held. Not part of a retry's identity.
  public var isUnassigned = false
  /// The network's verification of the caller's number; not part of a retry's identity. A false caller's report has no weight.
  public var verification: ReportedVerification? {
    didSet { if verification?.isOfFalseCaller == true { weight = 0 } }
  }

  public init(
    number: Int64, appID: Int32, reportID: UUID, reportedAt: Date, category: ReportCategory,
    reporter: [UInt8]?, weight: Float = 1, comment: String? = nil, network: [UInt8]? = nil
  ) {
    self.number = number
    self.appID = appID
    self.reportID = reportID
    self.reportedAt = reportedAt
    self.category = category
    self.reporter = reporter
    self.weight = weight
    self.comment = comment
    self.network = network
  }
}

extension Report {
  /// Lets a report of an earlier day count on that day. Without a network of its own it has one of its reporter.
  public mutating func countOnOwnDay(at time: Date, hasOwnNetwork: Bool = false) {
    guard ComplaintDays.day(of: reportedAt) < ComplaintDays.day(of: time) else { return }
    arrivedAt = reportedAt
    if !hasOwnNetwork { network = reporter.map { Array($0.prefix(8)) } }
  }
}

/// Result of storing a report.
public enum ReportOutcome: Sendable, Equatable {
  /// The report is new, committed and counted.
  case created
  /// The same report was stored already; nothing changed.
  case duplicate
  /// The app has used this report id for other content; nothing changed.
  case conflict
  /// The same report was withdrawn; sending it again does not restore it.
  case withdrawn
}

/// Result of withdrawing a report.
public enum WithdrawalOutcome: Sendable, Equatable {
  case withdrawn
  case alreadyWithdrawn
  case notFound
}
