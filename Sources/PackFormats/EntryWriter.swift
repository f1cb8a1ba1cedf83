/// Writes an ascending list in one format, an entry at a time, in bounded memory.
///
/// The output appears under its name only when ``finish()`` returns: a writer that is dropped before
/// leaves nothing behind. The same entries and options give the same bytes.
public protocol EntryWriter: AnyObject {
  /// Adds the next entry.
  ///
  /// - Throws: ``PackFormatError``; the writer is of no further use then.
  func append(_ entry: ListEntry) throws

  /// Ends the output, flushes it to the disk and gives it its name.
  ///
  /// - Throws: ``PackFormatError/empty(what:)`` where a format refuses an empty list, and errors of the file.
  func finish() throws -> ExportSummary
}

/// What became of a list's entries in another format.
public struct ExportSummary: Sendable, Equatable {
  /// Entries written.
  public var written: UInt64 = 0
  /// Entries among the written whose label was changed to fit the format.
  public var altered: UInt64 = 0
  /// Entries left out because they do not block and the format is a block list.
  public var notBlocking: UInt64 = 0
  /// Entries left out because the format's limit was reached.
  public var overLimit: UInt64 = 0

  /// A summary of nothing.
  public init() {}
}

/// What an encoding did with one entry.
enum RecordOutcome {
  case written
  case altered
  case notBlocking
  case overLimit
}

extension ExportSummary {
  mutating func count(_ outcome: RecordOutcome) {
    switch outcome {
    case .written: written += 1
    case .altered:
      written += 1
      altered += 1
    case .notBlocking: notBlocking += 1
    case .overLimit: overLimit += 1
    }
  }
}
