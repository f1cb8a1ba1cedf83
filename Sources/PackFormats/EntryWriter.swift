// SPDX-License-Identifier: Apache-2.0

/// Writes an ascending list in one format, entry by entry, in bounded memory.
///
/// The output appears under its name only when ``finish()`` returns. A writer that is released earlier leaves no file.
/// The same entries and options give the same bytes.
public protocol EntryWriter: AnyObject {
  /// Adds the next entry.
  ///
  /// - Throws: ``PackFormatError``; the writer cannot be used afterwards.
  func append(_ entry: ListEntry) throws

  /// Completes the output, flushes it to disk and renames it.
  ///
  /// - Throws: ``PackFormatError/empty(what:)`` if a format refuses an empty list, and file errors.
  func finish() throws -> ExportSummary
}

/// Counts of the entries that were written, changed or omitted.
public struct ExportSummary: Sendable, Equatable {
  /// Entries written.
  public var written: UInt64 = 0
  /// Entries among the written whose label was changed to fit the format.
  public var altered: UInt64 = 0
  /// Entries omitted because they do not block and the format is a block list.
  public var notBlocking: UInt64 = 0
  /// Entries omitted because the format's limit was reached.
  public var overLimit: UInt64 = 0
  /// Entries omitted because the format would give them another meaning.
  public var unsuitable: UInt64 = 0

  /// Creates an empty summary.
  public init() {}
}

/// The result of encoding one entry.
enum RecordOutcome {
  case written
  case altered
  case notBlocking
  case overLimit
  case unsuitable
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
    case .unsuitable: unsuitable += 1
    }
  }
}
