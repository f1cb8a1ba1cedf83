// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import Storage

public struct ImportOptions: Sendable {
  /// The file, or `-` for standard input.
  public var path: String
  public var format: ComplaintFormat
  /// The source's name, from which rows without an id derive theirs, together with their content: keep it the same for
  /// all files of one origin, so that a repeated row is recognized. The format's name by default.
  public var source: String
  /// The categories of the FTC's subjects.
  public var subjects: SubjectTable
  /// The category of a row in a format without any.
  var defaultCategory = ReportCategory.other
  /// Rows in a batch for the sink, 1 or more.
  public var batchRows = 15_000
  /// The file for rejected lines; nil for none.
  public var rejectsPath: String?
  public var workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
  /// Whether the sink takes one batch at a time.
  public var isSerial = false
  /// Batches that the sink stores at once. Rows with reporters are stored in the file's order, because of two reports with
  /// the same time the later one is the vote.
  public var writers: Int { format.mayHaveReporters || isSerial ? 1 : 2 }
  /// The current time, with which dates are compared.
  public var now = Date()
  /// Rows before this time are rejected: reports that old were dropped, and would count twice. Nil when none were.
  public var droppedBefore: Date?
  /// Whether rows of numbers that are not in the plan are stored; see ``HoldStore/takesUnassigned()``.
  public var takesUnassigned = true

  public init(
    path: String, format: ComplaintFormat, source: String? = nil, subjects: SubjectTable = SubjectTable()
  ) {
    self.path = path
    self.format = format
    self.source = source ?? format.rawValue
    self.subjects = subjects
  }

  /// Reads which rows the database refuses: those from before the dropped reports, and numbers that are not in the plan.
  public mutating func readRefusals(of stores: Stores) async throws {
    droppedBefore = try await stores.retention.reportsDroppedBefore()
    takesUnassigned = try await stores.holds.takesUnassigned()
  }
}

/// The result of a batch in the sink.
public struct SinkResult: Sendable, Equatable {
  public var inserted: Int
  /// Rows that were stored already.
  public var duplicates: Int
  /// Rows with the id of another report.
  public var conflicts: Int

  public init(inserted: Int, duplicates: Int, conflicts: Int = 0) {
    (self.inserted, self.duplicates, self.conflicts) = (inserted, duplicates, conflicts)
  }
}

public struct ImportProgress: Sendable, Equatable {
  /// Bytes of the file on disk that were read.
  public var bytesRead: UInt64
  /// The file's length in bytes, nil for a pipe.
  public var totalBytes: UInt64?
  /// Rows read, rejected ones included.
  public var rows: Int
  /// Rows that the sink has stored.
  public var written: Int
}

public struct ImportSummary: Sendable, Equatable {
  /// Rows read, including rejected ones; the header and blank lines do not count.
  public var rows: Int {
    get { rejects.rows }
    set { rejects.rows = newValue }
  }
  /// Rows passed to the sink.
  public var accepted = 0
  public var inserted = 0
  public var duplicates = 0
  public var conflicts = 0
  public var rejects = RejectedRows()
  /// Rows rejected because reports of their time were deleted.
  public var rowsBeforeRetention: Int { rejects.reasons[RejectReason.dateBeforeRetention.rawValue] ?? 0 }
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

  public init() {}

  /// 0 when no time passed.
  public var rowsPerSecond: Double { seconds > 0 ? Double(rows) / seconds : 0 }

  mutating func countUnknownSubject(_ subject: String, times: Int) {
    unknownSubjectRows += times
    if unknownSubjects[subject] != nil || unknownSubjects.count < Self.maximumSubjects {
      unknownSubjects[subject, default: 0] += times
    }
  }
}
