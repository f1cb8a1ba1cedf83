public import Foundation
import Timestamps

/// What became of a file of complaints.
public struct ImportSummary: Sendable, Equatable, CustomStringConvertible {
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

  /// Several lines of text for a terminal, without a line end.
  public var description: String {
    var lines = [
      "\(Figures.grouped(rows)) rows in \(Figures.duration(seconds)), \(Figures.grouped(Int(rowsPerSecond))) rows/s",
      "  \(Figures.grouped(accepted)) accepted: \(Figures.grouped(inserted)) new, "
        + "\(Figures.grouped(duplicates)) already there",
      "  \(Figures.grouped(rejectedRows)) rejected\(rejectedRows > 0 ? ":" : "")",
    ]
    for (reason, count) in rejected.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) where count > 0 {
      lines.append("    \(reason.rawValue) \(Figures.grouped(count))")
    }
    if let droppedBefore, rejected[.dateBeforeRetention, default: 0] > 0 {
      lines.append("  date_before_retention: the date is before \(Timestamp.format(droppedBefore)). Reports that old")
      lines.append("  were dropped here, so a row that was counted before would not be known again.")
    }
    if repaired > 0 { lines.append("  \(Figures.grouped(repaired)) rows with invalid UTF-8, repaired") }
    if unknownSubjectRows > 0 {
      lines.append("  \(Figures.grouped(unknownSubjectRows)) rows with a subject that is not in the table:")
      let sorted = unknownSubjects.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      for (subject, count) in sorted.prefix(20) {
        lines.append("    \(Figures.printable(subject)) \(Figures.grouped(count))")
      }
      if sorted.count > 20 { lines.append("    and \(sorted.count - 20) more") }
    }
    return lines.joined(separator: "\n")
  }

  mutating func countUnknownSubject(_ subject: String, times: Int) {
    unknownSubjectRows += times
    if unknownSubjects[subject] != nil || unknownSubjects.count < Self.maximumSubjects {
      unknownSubjects[subject, default: 0] += times
    }
  }
}
