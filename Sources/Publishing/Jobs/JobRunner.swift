import Curation
import Foundation
import Logging
import PostgreSQL
import Storage
import Synchronization

/// Makes what pages have ordered of one kind, one after another, beside the requests: what this server was asked for, and
/// what another server was asked for and has not begun.
final class JobRunner: Sendable {
  /// How often this server says that it lives, how often it looks for orders of others, and how often in a row it tries to
  /// say what came of one.
  struct Pace: Sendable {
    var beat = Duration.seconds(2)
    var look = Duration.seconds(5)
    /// The first pause between two tries; each is twice as long as the one before, up to ``look``.
    var again = Duration.milliseconds(250)
    /// With these paces some two minutes, besides what the store itself waits for.
    var tries = 30
  }

  /// Makes what was ordered; told where to say what is being done.
  /// - Returns: what came of it, as JSON.
  typealias Work = @Sendable (BackgroundJob, @escaping @Sendable (JobStep) -> Void) async throws -> String

  /// The outcome of a job.
  private struct Ending {
    let job: UUID
    var state: BackgroundJob.State
    var outcome: String?
    /// Whether the log has it that it could not be said.
    var isLogged = false
  }

  private struct State {
    var task: Task<String, any Error>?
    /// A result that could not be stored yet. No job begins before it is, so none runs twice.
    var unsaid: Ending?
    var isClosed = false
  }

  private let kind: BackgroundJob.Kind
  private let store: JobStore
  private let pace: Pace
  private let logger: Logger
  private let work: Work
  /// Tells this process from others.
  private let server = UUID()
  private let state = Mutex(State())
  private let bell: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation

  init(_ kind: BackgroundJob.Kind, store: JobStore, pace: Pace = Pace(), logger: Logger, work: @escaping Work) {
    self.kind = kind
    self.store = store
    self.pace = pace
    self.logger = logger
    self.work = work
    (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Says that something was ordered here.
  func wake() { ring.yield() }

  /// Makes what is ordered until ``close()`` is called.
  func run() async {
    let clock = Task { [ring, pace] in
      repeat { ring.yield() } while (try? await Task.sleep(for: pace.look)) != nil
    }
    defer { clock.cancel() }
    for await _ in bell {
      while !state.withLock(\.isClosed), await sayWhatIsUnsaid(), let job = await next() { await make(job) }
    }
  }

  /// Ends ``run()``; what is being made is broken off, and pages say so.
  func close() {
    ring.finish()
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
    // A task of its own: it is said also when this one was cancelled, as it is when the server stops. The heart goes on
    // meanwhile, or others would give up what is made.
    await Task { await say() }.value
    heart.cancel()
    await heart.value
  }

  private func beat(_ job: BackgroundJob, _ board: StepBoard, stopping task: Task<String, any Error>) async {
    while (try? await Task.sleep(for: pace.beat)) != nil {
      // A database that does not answer is no reason to stop: either it answers in time, or others give the job up.
      if let isOurs = try? await store.beat(job.id, by: server, step: board.step), !isOurs {
        task.cancel()
        return
      }
    }
  }

  private func ending(of job: BackgroundJob, _ result: Result<String, any Error>, isBrokenOff: Bool) -> Ending {
    switch result {
    case .success(let made) where made.utf8.count <= BackgroundJob.mostOutcome:
      return Ending(job: job.id, state: .done, outcome: made)
    case .success(let made):
      logger.error(
        "The result of a background job is too long to be stored", metadata: ["size_bytes": "\(made.utf8.count)"])
      return Ending(job: job.id, state: .failed)
    case .failure where isBrokenOff:
      return Ending(job: job.id, state: .broken)
    case .failure(let error):
      logger.error(
        "A background job failed", metadata: ["kind": "\(kind.rawValue)", "error": "\(error)"])
      return Ending(job: job.id, state: .failed)
    }
  }

  /// Says what came of a job until the database has it, the server stops, or the tries are used up.
  private func say() async {
    var pause = pace.again
    for _ in 0..<pace.tries {
      if await sayWhatIsUnsaid() || state.withLock(\.isClosed) { return }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, pace.look)
    }
  }

  /// Tries once.
  /// - Returns: whether there is nothing left to say.
  private func sayWhatIsUnsaid() async -> Bool {
    guard let ending = state.withLock(\.unsaid) else { return true }
    do {
      try await store.end(ending.job, by: server, as: ending.state, outcome: ending.outcome)
      state.withLock { $0.unsaid = nil }
      return true
    } catch {
      let isNew = state.withLock { state in
        defer { state.unsaid?.isLogged = true }
        // A result that the database never accepts must not stop all later jobs.
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

/// The job in progress.
private final class StepBoard: Sendable {
  private let current = Mutex(JobStep.starting)

  var step: JobStep { current.withLock { $0 } }

  func say(_ step: JobStep) { current.withLock { $0 = step } }
}
