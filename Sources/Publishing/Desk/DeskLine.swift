import Foundation
import Logging
import Storage
import Synchronization

/// Makes what pages have ordered of one kind, one after another, beside the requests: what this server was asked for, and
/// what another server was asked for and has not begun.
final class DeskLine: Sendable {
  /// How often this server says that it lives, and how often it looks for orders of others.
  struct Pace: Sendable {
    var beat = Duration.seconds(2)
    var look = Duration.seconds(5)
  }

  /// Makes what was ordered; told where to say what is being done.
  /// - Returns: what came of it, as JSON.
  typealias Work = @Sendable (DeskJob, @escaping @Sendable (String) -> Void) async throws -> String

  private struct State {
    var task: Task<String, any Error>?
    var isClosed = false
  }

  private let kind: DeskJob.Kind
  private let store: DeskStore
  private let pace: Pace
  private let logger: Logger
  private let work: Work
  /// Tells this process from others.
  private let server = UUID()
  private let state = Mutex(State())
  private let bell: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation

  init(_ kind: DeskJob.Kind, store: DeskStore, pace: Pace = Pace(), logger: Logger, work: @escaping Work) {
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
      while !state.withLock(\.isClosed), let job = await next() { await make(job) }
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

  private func next() async -> DeskJob? {
    do {
      return try await store.claim(kind, by: server)
    } catch {
      // It is asked again soon, and pages say themselves that the database does not answer.
      logger.debug("Orders could not be read", metadata: ["kind": "\(kind.rawValue)", "error": "\(error)"])
      return nil
    }
  }

  private func make(_ job: DeskJob) async {
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
    heart.cancel()
    await heart.value
    state.withLock { $0.task = nil }
    // A task of its own: it is said also when this one was cancelled, as it is when the server stops.
    await Task { await end(job, result, isBrokenOff: task.isCancelled) }.value
  }

  private func beat(_ job: DeskJob, _ board: StepBoard, stopping task: Task<String, any Error>) async {
    while (try? await Task.sleep(for: pace.beat)) != nil {
      // A database that does not answer is no reason to stop: either it answers in time, or others give the job up.
      if let isOurs = try? await store.beat(job.id, by: server, step: board.step), !isOurs {
        task.cancel()
        return
      }
    }
  }

  private func end(_ job: DeskJob, _ result: Result<String, any Error>, isBrokenOff: Bool) async {
    var (state, outcome) = (DeskJob.State.done, String?.none)
    switch result {
    case .success(let made) where made.utf8.count <= DeskJob.mostOutcome: outcome = made
    case .success(let made):
      state = .failed
      logger.error("What was ordered on a page is too long to be kept", metadata: ["size_bytes": "\(made.utf8.count)"])
    case .failure(let error):
      state = isBrokenOff ? .broken : .failed
      if !isBrokenOff {
        logger.error(
          "What was ordered on a page could not be made", metadata: ["kind": "\(kind.rawValue)", "error": "\(error)"])
      }
    }
    do {
      try await store.end(job.id, by: server, as: state, outcome: outcome)
    } catch {
      logger.error("What came of an order could not be kept", metadata: ["error": "\(error)"])
    }
  }
}

/// What is being done just now.
private final class StepBoard: Sendable {
  private let text = Mutex("")

  var step: String { text.withLock { $0 } }

  func say(_ step: String) { text.withLock { $0 = step } }
}
