// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Logging
import PostgreSQL
import Storage
import Synchronization

/// Runs the background jobs of one kind one after another: jobs ordered on this server, and jobs of other servers that
/// no server has started.
final class JobRunner: Sendable {
  /// Intervals of heartbeats, of the search for jobs of other servers, and of attempts to store an outcome.
  struct Pace: Sendable {
    var beat = Duration.seconds(2)
    var look = Duration.seconds(5)
    /// The first pause between two attempts; each pause is twice as long as the one before, up to ``look``.
    var again = Duration.milliseconds(250)
    /// With these intervals about two minutes, plus the store's own timeouts.
    var tries = 30
  }

  /// - Returns: the outcome as JSON.
  typealias Work = @Sendable (BackgroundJob, @escaping @Sendable (JobStep) -> Void) async throws -> String

  private struct Ending {
    let job: UUID
    var state: BackgroundJob.State
    var outcome: String?
    /// Whether the failure to store it is in the log.
    var isLogged = false
  }

  private struct State {
    var task: Task<String, any Error>?
    /// The end of a job that is not yet stored. No other job starts before it is, so that no job runs twice.
    var unsaid: Ending?
    var isClosed = false
  }

  private let kind: BackgroundJob.Kind
  private let store: JobStore
  private let pace: Pace
  private let logger: Logger
  private let work: Work
  /// Identifies this process in the database.
  private let server = UUID()
  private let state = Mutex(State())
  private let wakeups: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init(_ kind: BackgroundJob.Kind, store: JobStore, pace: Pace = Pace(), logger: Logger, work: @escaping Work) {
    self.kind = kind
    self.store = store
    self.pace = pace
    self.logger = logger
    self.work = work
    (wakeups, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Wakes the runner after a job was ordered on this server.
  func wake() { waker.yield() }

  /// Runs jobs until ``close()`` is called.
  func run() async {
    let clock = Task { [waker, pace] in
      repeat { waker.yield() } while (try? await Task.sleep(for: pace.look)) != nil
    }
    defer { clock.cancel() }
    for await _ in wakeups {
      while !state.withLock(\.isClosed), await storePendingOutcome(), let job = await next() { await make(job) }
    }
  }

  /// Ends ``run()``. A running job is canceled, and pages show that it was interrupted.
  func close() {
    waker.finish()
    state.withLock { state in
      state.isClosed = true
      state.task?.cancel()
    }
  }

  private func next() async -> BackgroundJob? {
    do {
      return try await store.claim(kind, by: server)
    } catch {
      // It is asked again soon, and pages say themselves that the database does not answer.
      logger.debug("Cannot read background jobs", metadata: ["kind": "\(kind.rawValue)", "error": "\(error)"])
      return nil
    }
  }

  private func make(_ job: BackgroundJob) async {
    let board = StepBoard()
    let task = Task { [work] in try await work(job) { board.say($0) } }
    state.withLock { state in
      state.task = task
      if state.isClosed { task.cancel() }
    }
    let heart = Task { await beat(job, board, stopping: task) }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    state.withLock { state in
      state.task = nil
      state.unsaid = ending(of: job, result, isBrokenOff: task.isCancelled)
    }
    // A separate task stores the end even if this task was canceled at the server's stop. Heartbeats continue
    // meanwhile, so that other servers do not give the job up.
    await Task { await say() }.value
    heart.cancel()
    await heart.value
  }

  private func beat(_ job: BackgroundJob, _ board: StepBoard, stopping task: Task<String, any Error>) async {
    while (try? await Task.sleep(for: pace.beat)) != nil {
      // If the database does not answer, the work continues: the next heartbeat may succeed, or other servers give the
      // job up.
      if let isOurs = try? await store.beat(job.id, by: server, step: board.step), !isOurs {
        task.cancel()
        return
      }
    }
  }

  private func ending(of job: BackgroundJob, _ result: Result<String, any Error>, isBrokenOff: Bool) -> Ending {
    switch result {
    case .success(let made) where made.utf8.count <= BackgroundJob.maxOutcome:
      return Ending(job: job.id, state: .done, outcome: made)
    case .success(let made):
      logger.error(
        "The result of a background job is too long to be stored",
        metadata: ["size_bytes": .stringConvertible(made.utf8.count)])
      return Ending(job: job.id, state: .failed)
    case .failure where isBrokenOff:
      return Ending(job: job.id, state: .broken)
    case .failure(let error):
      logger.error(
        "A background job failed", metadata: ["kind": "\(kind.rawValue)", "error": "\(error)"])
      return Ending(job: job.id, state: .failed)
    }
  }

  /// Stores the end of a job. Stops when the database has it, the server stops, or all attempts are used.
  private func say() async {
    var pause = pace.again
    for _ in 0..<pace.tries {
      if await storePendingOutcome() || state.withLock(\.isClosed) { return }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, pace.look)
    }
  }

  /// - Returns: whether nothing is left to store.
  private func storePendingOutcome() async -> Bool {
    guard let ending = state.withLock(\.unsaid) else { return true }
    do {
      try await store.end(ending.job, by: server, as: ending.state, outcome: ending.outcome)
      state.withLock { $0.unsaid = nil }
      return true
    } catch {
      let isNew = state.withLock { state in
        defer { state.unsaid?.isLogged = true }
        // A value that the database refuses must not block later jobs.
        if (error as? PostgresError)?.isRefusalOfValues == true {
          state.unsaid?.state = .failed
          state.unsaid?.outcome = nil
        }
        return state.unsaid?.isLogged == false
      }
      if isNew {
        logger.error("Cannot store the result of a background job; trying again", metadata: ["error": "\(error)"])
      }
      return false
    }
  }
}

extension PostgresError {
  /// SQLSTATE 22* and 23*: a value that the column or a constraint does not allow.
  fileprivate var isRefusalOfValues: Bool {
    sqlState.map { $0.hasPrefix("22") || $0.hasPrefix("23") } ?? false
  }
}

/// The current step of a job.
private final class StepBoard: Sendable {
  private let current = Mutex(JobStep.starting)

  var step: JobStep { current.withLock { $0 } }

  func say(_ step: JobStep) { current.withLock { $0 = step } }
}

/// A request or outcome of a background job, stored as JSON.
protocol JobMessage: Codable {}

extension JobMessage {
  init(_ text: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
  }

  var text: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }
}
