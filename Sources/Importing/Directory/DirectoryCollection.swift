// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation
import Synchronization

/// Reads a file of names into sorted runs.
struct DirectoryCollection {
  struct Collected: Sendable {
    var file: TemporaryFile
    var runs: [Range<Int>]
    /// Numbers in all runs, including repeated ones.
    var numbers: Int
    var summary: DirectorySummary
  }

  let options: DirectoryOptions

  /// Parses on as many tasks as the options set.
  func read(_ progress: @escaping @Sendable (DirectoryProgress) -> Void) async throws -> Collected {
    let source = DirectoryFile()
    return try await withTaskCancellationHandler {
      let (columns, separator) = try await source.open(options)
      let file = try TemporaryFile(folder: options.temporaryFolder)
      let tally = try DirectoryTally(rejectsPath: options.rejectsPath, progress: progress)
      let runs = try await withThrowingTaskGroup(of: [Range<Int>].self) { group in
        for _ in 0..<max(1, options.workers) {
          group.addTask {
            let parser = DirectoryParser(options: options, columns: columns, separator: separator)
            return try await Self.work(parser, source, file, tally, runBytes: options.runBytes)
          }
        }
        do {
          var runs: [Range<Int>] = []
          for try await some in group { runs += some }
          return runs
        } catch {
          // Otherwise a blocked pipe would keep the other tasks, and with them the error, waiting forever.
          source.cancel()
          throw error
        }
      }
      let (summary, numbers) = try tally.finish()
      return Collected(file: file, runs: runs, numbers: numbers, summary: summary)
    } onCancel: {
      source.cancel()
    }
  }

  private static func work(
    _ parser: DirectoryParser, _ source: DirectoryFile, _ file: TemporaryFile, _ tally: DirectoryTally, runBytes: Int
  ) async throws -> [Range<Int>] {
    var parser = parser
    var run = DirectoryRun(limit: runBytes)
    var runs: [Range<Int>] = []
    while let (index, chunk) = try await source.next() {
      try Task.checkCancellation()
      try tally.add(parser.parse(chunk, into: &run), index: index)
      if run.isFull { runs.append(try run.write(to: file)) }
    }
    if !run.isEmpty { runs.append(try run.write(to: file)) }
    return runs
  }
}

/// Reads rows on a separate thread, so that a slow disk or a blocked pipe occupies no thread of the task pool.
private final class DirectoryFile: Sendable {
  private struct State {
    var reader: DirectoryReader?
    var next = 0
  }

  private let queue = DispatchQueue(label: "importing.directory")
  private let state = Mutex(State())
  private let isCancelled = CancellationFlag()

  func cancel() { isCancelled.set() }

  func open(_ options: DirectoryOptions) async throws -> (DirectoryColumns, separator: UInt8) {
    try await queue.run { [self] in
      try state.withLock { state in
        let reader = try DirectoryReader(options, isCancelled: { [isCancelled] in isCancelled.isSet })
        let found = (reader.columns, separator: reader.separator)
        state.reader = reader
        return found
      }
    }
  }

  /// The next rows and the index of their chunk in the file, from 0; nil at the end.
  func next() async throws -> (index: Int, chunk: RecordChunk)? {
    try await queue.run { [self] in
      try state.withLock { state in
        guard let chunk = try state.reader?.next() else { return nil }
        defer { state.next += 1 }
        return (state.next, chunk)
      }
    }
  }
}

/// Adds up the results of chunks; rejects are counted and written in the file's order.
private final class DirectoryTally: Sendable {
  private struct State {
    var summary = DirectorySummary()
    var numbers = 0
    var rejects: RejectFile?
    var waiting: [Int: [ImportReject]] = [:]
    var next = 0
  }

  private let state: Mutex<State>
  private let progress: @Sendable (DirectoryProgress) -> Void

  init(rejectsPath: String?, progress: @escaping @Sendable (DirectoryProgress) -> Void) throws {
    let rejects = try rejectsPath.map { try RejectFile(path: $0) }
    state = Mutex(State(rejects: rejects))
    self.progress = progress
  }

  func add(_ outcome: DirectoryParser.Outcome, index: Int) throws {
    try state.withLock { state in
      state.summary.rows += outcome.rows
      state.summary.badNumbers += outcome.badNumbers
      state.numbers += outcome.numbers
      state.summary.bytesRead = max(state.summary.bytesRead, outcome.bytesRead)
      state.waiting[index] = outcome.rejects
      while let rejects = state.waiting.removeValue(forKey: state.next) {
        for reject in rejects {
          state.summary.rejects.add(reject)
          try state.rejects?.add(reject)
        }
        state.next += 1
      }
      progress(.reading(bytes: state.summary.bytesRead, total: outcome.totalBytes, rows: state.summary.rows))
    }
  }

  func finish() throws -> (DirectorySummary, numbers: Int) {
    try state.withLock { state in
      try state.rejects?.finish()
      return (state.summary, state.numbers)
    }
  }
}
