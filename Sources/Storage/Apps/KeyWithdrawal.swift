// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Withdrawal of a key's reports, as a resumable job.
public struct KeyWithdrawal: Sendable, Equatable {
  /// Key of its row.
  public let id: Int64
  /// The key whose reports are withdrawn.
  public let keyID: Int32
  /// Reports that arrived at this time or later are withdrawn.
  public let since: Date
  /// Reports that arrived before this time are withdrawn.
  public let until: Date
  /// The reason that was given.
  public let reason: String
  /// The account that requested the withdrawal.
  public let askedBy: String
  /// When it was requested.
  public let askedAt: Date
  /// All reports of the app with a smaller id are done.
  let position: UUID
  /// Reports of the app that were checked; some are counted twice.
  public let seen: Int64
  /// Reports that were withdrawn.
  public let withdrawn: Int64
  /// When it was finished; nil while reports are left.
  public let doneAt: Date?
}

/// The reports of a key, before their withdrawal.
public struct KeyReportCounts: Sendable, Equatable {
  /// Reports that are not withdrawn, up to ``mostReports``.
  public let reports: Int
  /// Numbers that the reports are about.
  public let numbers: Int
  /// Reporters, by their pseudonyms.
  public let reporters: Int
  /// When the first report arrived.
  public let first: Date?
  /// When the last report arrived.
  public let last: Date?

  /// The greatest number of reports that is counted.
  public static let mostReports = 100_000
}
