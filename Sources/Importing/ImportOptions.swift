public import Curation
public import Foundation

/// How a file of complaints is imported.
public struct ImportOptions: Sendable {
  /// The file, or `-` for standard input.
  public var path: String
  /// The layout of its rows.
  public var format: ComplaintFormat
  /// What rows without an id derive theirs from, beside their content: keep it the same for the files of one
  /// origin, so that a row met again in tomorrow's file is known. The format's name by default.
  public var source: String
  /// Where the FTC's subjects belong.
  public var subjects: SubjectTable
  /// The category of a row in a format without any.
  public var defaultCategory = ReportCategory.other
  /// Rows a batch for the sink, 1 or more.
  public var batchRows = 10_000
  /// Where rejected lines are written, nil for nowhere.
  public var rejectsPath: String?
  /// Tasks that parse numbers at once.
  public var workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
  /// The time that dates are compared with.
  public var now = Date()
  /// Rows of before this moment are rejected: reports that old were dropped, and would count twice. Nil when none were.
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

/// What a sink did with a batch.
public struct SinkResult: Sendable, Equatable {
  /// Rows that were new.
  public var inserted: Int
  /// Rows whose report id was there already.
  public var duplicates: Int

  /// Makes a result of these counts.
  public init(inserted: Int, duplicates: Int) {
    self.inserted = inserted
    self.duplicates = duplicates
  }
}

/// How far an import is.
public struct ImportProgress: Sendable, Equatable {
  /// Bytes of the file, as it lies on disk, that have been read.
  public var bytesRead: UInt64
  /// The file's length in bytes, nil for a pipe.
  public var totalBytes: UInt64?
  /// Rows read, rejected ones included.
  public var rows: Int
  /// Rows that the sink has taken.
  public var written: Int
}
