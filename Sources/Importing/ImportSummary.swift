public import Foundation

/// What became of a file of complaints.
public struct ImportSummary: Sendable, Equatable {
  /// Rows read, rejected ones included; the header and blank lines are none.
  public var rows = 0
  /// Rows handed to the sink.
  public var accepted = 0
  /// Rows that the sink found new.
  public var inserted = 0
  /// Rows that the sink had already.
  public var duplicates = 0
  /// Rejected rows by reason.
  public var rejected: [RejectReason: Int] = [:]
  /// Subjects that the table does not have, with how often each occurred; at most ``maximumSubjects``.
  public var unknownSubjects: [String: Int] = [:]
  /// Rows with a subject that the table does not have, those beyond ``maximumSubjects`` included.
  public var unknownSubjectRows = 0
  /// Rows in which invalid UTF-8 was replaced.
  public var repaired = 0
  /// As in ``ImportOptions/droppedBefore``.
  public var droppedBefore: Date?
  /// Bytes read of the file as it lies on disk.
  public var bytesRead: UInt64 = 0
  /// Wall time in seconds.
  public var seconds = 0.0

  /// Distinct unknown subjects that are kept.
  public static let maximumSubjects = 1_000

  /// A summary of nothing.
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
