// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The result of an import of complaints.
public struct ImportSummary: Sendable, Equatable {
  /// Rows read, including rejected ones; the header and blank lines do not count.
  public var rows = 0
  /// Rows passed to the sink.
  public var accepted = 0
  /// Rows that were new.
  public var inserted = 0
  /// Rows that were stored already.
  public var duplicates = 0
  /// Rejected rows by reason.
  public var rejected: [RejectReason: Int] = [:]
  /// Subjects missing in the table, with the number of their rows; at most ``maximumSubjects``.
  public var unknownSubjects: [String: Int] = [:]
  /// Rows with a subject missing in the table, including those beyond ``maximumSubjects``.
  public var unknownSubjectRows = 0
  /// Rows in which invalid UTF-8 was replaced.
  public var repaired = 0
  /// The value of ``ImportOptions/droppedBefore``.
  public var droppedBefore: Date?
  /// Bytes of the file on disk that were read.
  public var bytesRead: UInt64 = 0
  /// Wall time in seconds.
  public var seconds = 0.0

  /// Distinct unknown subjects that are kept.
  public static let maximumSubjects = 1_000

  /// An empty summary.
  public init() {}

  /// Rows rejected for any reason.
  public var rejectedRows: Int { rejected.values.reduce(0, +) }

  /// Rows a second of wall time, 0 when no time passed.
  public var rowsPerSecond: Double { seconds > 0 ? Double(rows) / seconds : 0 }

  mutating func countUnknownSubject(_ subject: String, times: Int) {
    unknownSubjectRows += times
    if unknownSubjects[subject] != nil || unknownSubjects.count < Self.maximumSubjects {
      unknownSubjects[subject, default: 0] += times
    }
  }
}
