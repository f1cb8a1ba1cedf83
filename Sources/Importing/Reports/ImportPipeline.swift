// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Curation
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

  /// The file is not opened yet.
  public init(options: ImportOptions) { self.options = options }

  /// `progress` is called after every chunk and every batch, from one task at a time.
  /// - Throws: ``ImportFileError``, what the sink throws, `CancellationError`. Batches that the sink stored until
  /// then stay stored; the file of rejects is written only when the import succeeds.
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

  func next() async throws -> RecordChunk? {
    try await queue.run { [self] in try records.withLock { try $0?.next() } }
  }
}

/// One import in progress: at most one reading task, several parsing tasks, at most ``ImportOptions/writers`` writing
/// tasks.
struct ImportRun {
  private enum Event: Sendable {
    case read(RecordChunk?)
    case parsed(index: Int, ComplaintParser.ParsedChunk)
    case written(SinkResult)
  }

  private let options: ImportOptions
  private let reader: ImportReader
  private let sink: ImportPipeline.Sink
  private let progress: (@Sendable (ImportProgress) -> Void)?
  private let parser: ComplaintParser
  private let started = ContinuousClock.now
  private var summary = ImportSummary()
  private var totalBytes: UInt64?
  private var identity = ReportIdentity()
  private var isAtEnd = false
  private var isReading = false
  private var writing = 0
  private var nextToRead = 0
  private var nextToGather = 0
  private var parsed: [Int: ComplaintParser.ParsedChunk] = [:]
  private var gathered: [ParsedComplaint] = []

  init(
    options: ImportOptions, columns: RecordColumns?, reader: ImportReader, sink: @escaping ImportPipeline.Sink,
    progress: (@Sendable (ImportProgress) -> Void)?
  ) {
    var options = options
    options.batchRows = max(1, options.batchRows)
    options.workers = max(1, options.workers)
    self.options = options
    self.reader = reader
    self.sink = sink
    self.progress = progress
    parser = ComplaintParser(options: options, columns: columns)
    summary.droppedBefore = options.droppedBefore
  }

  /// Runs until the end of the file and of the last batch.
  mutating func finish() async throws -> ImportSummary {
    let rejects = try options.rejectsPath.map { try RejectFile(path: $0) }
    try await withThrowingTaskGroup(of: Event.self) { group in
      do {
        try await handleEvents(&group, rejects)
      } catch {
        // Otherwise a blocked pipe would keep the reading task, and with it the error, waiting forever.
        reader.cancel()
        throw error
      }
    }
    try rejects?.finish()
    summary.seconds = (ContinuousClock.now - started) / .seconds(1)
    return summary
  }

  private mutating func handleEvents(
    _ group: inout ThrowingTaskGroup<Event, any Error>, _ rejects: RejectFile?
  ) async throws {
    schedule(&group)
    while let event = try await group.next() {
      switch event {
      case .read(let chunk): take(chunk, &group)
      case .parsed(let index, let chunk):
        parsed[index] = chunk
        try gather(rejects)
      case .written(let result):
        writing -= 1
        summary.inserted += result.inserted
        summary.duplicates += result.duplicates
        summary.conflicts += result.conflicts
      }
      try Task.checkCancellation()
      report()
      schedule(&group)
    }
  }

  private mutating func schedule(_ group: inout ThrowingTaskGroup<Event, any Error>) {
    let inFlight = nextToRead - nextToGather
    if !isAtEnd, !isReading, inFlight <= options.workers, gathered.count < options.batchRows {
      isReading = true
      group.addTask { [reader] in .read(try await reader.next()) }
    }
    let isLast = isAtEnd && inFlight == 0 && !gathered.isEmpty
    if writing < options.writers, gathered.count >= options.batchRows || isLast {
      writing += 1
      let batch = takeBatch()
      group.addTask { [sink] in .written(try await sink(batch)) }
      if !isReading { schedule(&group) }
    }
  }

  private mutating func takeBatch() -> [ParsedComplaint] {
    let batch = Array(gathered.prefix(options.batchRows))
    gathered.removeFirst(batch.count)
    summary.accepted += batch.count
    return batch
  }

  private mutating func take(_ chunk: RecordChunk?, _ group: inout ThrowingTaskGroup<Event, any Error>) {
    isReading = false
    guard let chunk else {
      isAtEnd = true
      return
    }
    let index = nextToRead
    nextToRead += 1
    group.addTask { [parser] in .parsed(index: index, parser.parse(chunk)) }
  }

  private mutating func gather(_ rejects: RejectFile?) throws {
    while let chunk = parsed.removeValue(forKey: nextToGather) {
      nextToGather += 1
      for (complaint, digest) in chunk.rows {
        var complaint = complaint
        if let digest { complaint.reportID = identity.next(digest) }
        if complaint.isUnassigned { summary.rejects.unassigned += 1 }
        gathered.append(complaint)
      }
      for reject in chunk.rejects {
        summary.rejects.add(reject)
        try rejects?.add(reject)
      }
      for (subject, count) in chunk.unknownSubjects { summary.countUnknownSubject(subject, times: count) }
      summary.rows += chunk.records
      summary.repaired += chunk.repaired
      summary.bytesRead = chunk.bytesRead
      totalBytes = chunk.totalBytes
    }
  }

  private func report() {
    progress?(
      ImportProgress(
        bytesRead: summary.bytesRead, totalBytes: totalBytes, rows: summary.rows,
        written: summary.inserted + summary.duplicates + summary.conflicts))
  }
}
