// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// The options of an import of complaints.
public struct ImportOptions: Sendable {
  /// The file, or `-` for standard input.
  public var path: String
  /// The layout of its rows.
  public var format: ComplaintFormat
  /// The source's name, from which rows without an id derive theirs, together with their content: keep it the same for
  /// all files of one origin, so that a repeated row is recognized. The format's name by default.
  public var source: String
  /// The categories of the FTC's subjects.
  public var subjects: SubjectTable
  /// The category of a row in a format without any.
  public var defaultCategory = ReportCategory.other
  /// Rows in a batch for the sink, 1 or more.
  public var batchRows = 15_000
  /// The file for rejected lines; nil for none.
  public var rejectsPath: String?
  /// Tasks that parse numbers at once.
  public var workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
  /// Batches that the sink stores at once. Rows with reporters are stored in the file's order, because of two reports with
  /// the same time the later one is the vote.
  public var writers: Int { format == .jsonLines ? 1 : 2 }
  /// The current time, with which dates are compared.
  public var now = Date()
  /// Rows before this time are rejected: reports that old were dropped, and would count twice. Nil when none were.
  public var droppedBefore: Date?

  /// Makes options with the defaults above.
  public init(
    path: String, format: ComplaintFormat, source: String? = nil, subjects: SubjectTable = SubjectTable()
  ) {
    self.path = path
    self.format = format
    self.source = source ?? format.rawValue
    self.subjects = subjects
  }
}

/// The result of a batch in the sink.
public struct SinkResult: Sendable, Equatable {
  /// Rows that were new.
  public var inserted: Int
  /// Rows whose report id was stored already.
  public var duplicates: Int

  /// Makes a result of these counts.
  public init(inserted: Int, duplicates: Int) {
    self.inserted = inserted
    self.duplicates = duplicates
  }
}

/// The progress of an import.
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
