// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import Foundation
import Synchronization

/// Reads a file of complaints, parses it on several tasks and passes it to a sink in batches.
///
/// While the sink writes batches, the next one is read and parsed; no more than one batch more than ``ImportOptions/writers``
/// and some chunks are in memory. Batches are made in the file's order. Running the same file again gives the same report ids.
public struct ImportPipeline: Sendable {
  /// Stores up to ``ImportOptions/batchRows`` complaints and returns the result; called for ``ImportOptions/writers`` batches at
  /// once.
  public typealias Sink = @Sendable ([ParsedComplaint]) async throws -> SinkResult

  private let options: ImportOptions

  /// A pipeline for one file; the file is not opened yet.
  public init(options: ImportOptions) { self.options = options }

  /// Imports the file. `progress` is called after every chunk and every batch, from one task at a time.
  /// - Returns: counts of the rows.
  /// - Throws: ``ImportFileError``, what the sink throws, `CancellationError`. Batches that the sink stored until then
  ///   stay stored; the file of rejects is written only when the import succeeds.
  public func run(
    progress: (@Sendable (ImportProgress) -> Void)? = nil, into sink: @escaping Sink
  ) async throws -> ImportSummary {
    let reader = ImportReader()
    return try await withTaskCancellationHandler {
      let columns = try await reader.open(path: options.path, format: options.format)
      var run = ImportRun(options: options, columns: columns, reader: reader, sink: sink, progress: progress)
      return try await run.finish()
    } onCancel: {
      reader.cancel()
    }
  }
}

/// Reads records on a separate thread, so that a slow disk or a blocked pipe occupies no thread of the task pool.
final class ImportReader: Sendable {
  private let queue = DispatchQueue(label: "importing.reader")
  private let records = Mutex<RecordReader?>(nil)
  private let isCancelled = CancellationFlag()

  func cancel() { isCancelled.set() }

  /// Opens the file; returns the columns that its header names.
  func open(path: String, format: ComplaintFormat) async throws -> RecordColumns? {
    try await queue.run { [self] in
      try records.withLock { state in
        let reader = try RecordReader(path: path, format: format, isCancelled: { [isCancelled] in isCancelled.isSet })
        let columns = reader.columns
        state = reader
        return columns
      }
    }
  }

  /// The next records, nil at the end.
  func next() async throws -> RecordChunk? {
    try await queue.run { [self] in try records.withLock { try $0?.next() } }
  }
}
