// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import Storage
import Synchronization

/// Imports a file of names: read and parsed on all cores, sorted by number in a temporary file, stored with one COPY,
/// and exchanged for the source's former entries in one transaction.
///
/// Memory: one run of rows (``DirectoryOptions/runBytes``) and one chunk for each task, and 64 KB for each run during
/// the merge.
public struct DirectoryImport: Sendable {
  private let options: DirectoryOptions

  /// The file is not opened yet.
  public init(options: DirectoryOptions) {
    self.options = options
  }

  /// Imports the file.
  /// - Parameter store: receives the entries in ascending order of number, one batch at a time until one is empty, and
  ///   returns the result; see `DirectoryStore.replace`.
  /// - Throws: ``ImportFileError``, what `store` throws, `CancellationError`; the source's former entries are then
  ///   unchanged.
  public func run(
    progress: @escaping @Sendable (DirectoryProgress) -> Void = { _ in },
    into store:
      @Sendable (@escaping @Sendable () async throws -> DirectoryRows) async throws -> DirectoryChange
  ) async throws -> DirectorySummary {
    let start = ContinuousClock.now
    let collected = try await DirectoryCollection(options: options).read(progress)
    var summary = collected.summary
    summary.readingSeconds = (ContinuousClock.now - start) / .seconds(1)
    let total = collected.numbers
    let shared = try SharedMerge(file: collected.file, runs: collected.runs)
    let change = try await store {
      try Task.checkCancellation()
      return try shared.merge.withLock { merge in
        let rows = try merge.next(4_000)
        progress(.storing(done: merge.rows, total: total))
        return rows
      }
    }
    let conflicts = shared.merge.withLock { $0.conflicts }
    summary.entries = change.entries
    summary.replaced = change.replaced
    summary.overruled = change.overruled
    (summary.conflicts, summary.outvotedRows, summary.examples) = (
      conflicts.numbers, conflicts.rows, conflicts.examples
    )
    summary.storingSeconds = (ContinuousClock.now - start) / .seconds(1) - summary.readingSeconds
    return summary
  }
}

/// A merge that a closure can capture.
private final class SharedMerge: Sendable {
  let merge: Mutex<DirectoryMerge>

  init(file: TemporaryFile, runs: [Range<Int>]) throws {
    merge = Mutex(try DirectoryMerge(file: file, runs: runs))
  }
}

public struct DirectoryOptions: Sendable {
  /// The file, or `-` for standard input: CSV or TSV, plain or gzip.
  public var path: String
  /// The region of numbers without a plus, ISO 3166-1 alpha-2; nil to read international forms only.
  public var region: String?
  public var columns = DirectoryColumnNames()
  /// Whether the first line is a header; without one, columns are given by position.
  public var hasHeader = true
  /// The file for rejected lines; nil for none.
  public var rejectsPath: String?
  /// A folder for data that does not fit into memory: about 20 bytes and the name for each number.
  public var temporaryFolder: String
  public var workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
  /// Bytes of rows that a task sorts in memory before it writes them to the temporary folder.
  public var runBytes = 12 << 20

  public init(path: String, region: String? = nil, temporaryFolder: String = NSTemporaryDirectory()) {
    self.path = path
    self.region = region
    self.temporaryFolder = temporaryFolder
  }
}

/// Columns of a directory, by the name in the header or by position from 1. Columns that are nil are found by the
/// header.
public struct DirectoryColumnNames: Sendable, Equatable {
  /// Columns of numbers, in order.
  public var numbers: [String] = []
  public var name: String?
  public var category: String?
  /// Region of the row's numbers, ISO 3166-1 alpha-2; where it is empty the file's region applies.
  public var region: String?

  public init() {}
}

public struct DirectorySummary: Sendable, Equatable {
  /// A number that had several names in the file.
  public struct Conflict: Sendable, Equatable {
    /// E.164 digits.
    public var number: Int64
    public var kept: String
    public var other: String
    public var names: Int
  }

  /// Rows read, including rejected ones; the header and blank lines do not count.
  public var rows: Int {
    get { rejects.rows }
    set { rejects.rows = newValue }
  }
  /// Numbers with an entry now.
  public var entries = 0
  /// Numbers of the source before.
  public var replaced = 0
  public var rejects = RejectedRows()
  /// Invalid numbers, in rows that also have a valid one.
  public var badNumbers = 0
  /// Numbers with several names in the file; the name in most rows is chosen, of equally frequent ones the first.
  public var conflicts = 0
  /// Rows whose name was therefore not chosen.
  public var outvotedRows = 0
  /// Examples of those numbers.
  public var examples: [Conflict] = []
  /// Numbers that a source with precedence contains too, so that its name applies.
  public var overruled = 0
  /// Bytes of the file on disk that were read.
  public var bytesRead: UInt64 = 0
  /// Wall time of reading, in seconds.
  public var readingSeconds = 0.0
  /// Wall time of storing, in seconds.
  public var storingSeconds = 0.0

  public init() {}
}

public enum DirectoryProgress: Sendable, Equatable {
  /// Bytes of the file that were read, its size where it is known, and rows.
  case reading(bytes: UInt64, total: UInt64?, rows: Int)
  /// Rows that were stored, and their total.
  case storing(done: Int, total: Int)
}
