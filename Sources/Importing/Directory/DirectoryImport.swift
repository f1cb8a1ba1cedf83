// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Storage
import Synchronization

/// Imports a file of names: read and parsed on all cores, sorted by number in a temporary file, stored with one COPY,
/// and exchanged for the source's former entries in one transaction.
///
/// Memory: one run of rows (``DirectoryOptions/runBytes``) and one chunk for each task, and 64 KB for each run during
/// the merge.
public struct DirectoryImport: Sendable {
  private let options: DirectoryOptions

  /// An import of one file; the file is not opened yet.
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
