// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The work did not end in time.
package struct DeadlineExceeded: Error {
  package init() {}
}

/// All deadlines of a task.
package enum Deadlines {
  /// How many times as long as stated they are. Tests raise it: deadlines are for users, and tests share a busy machine.
  @TaskLocal package static var factor = 1
}

/// Waits for work up to a limit, then cancels it. Work that ignores its cancellation continues: a stopped database
/// answers neither a statement nor its cancellation.
/// - Parameters:
///   - limit: multiplied by ``Deadlines/factor``; by default 3 seconds, so that a caller has a response within 5 while the database is stopped.
///   - extendedWhile: asked after each limit; the work may continue for another limit while it returns true.
/// - Throws: ``DeadlineExceeded`` after the limit; otherwise the errors of the work.
package func withDeadline<Success: Sendable>(
  _ limit: Duration = .seconds(3), extendedWhile isExtended: @escaping @Sendable () async -> Bool = { false },
  _ work: @escaping @Sendable () async throws -> Success
) async throws -> Success {
  let limit = limit * Deadlines.factor
  let waiter = DeadlineWaiter<Success>()
  let task = Task { waiter.finish(await Result { try await work() }) }
  let timer = Task {
    repeat { try await Task.sleep(for: limit) } while await isExtended()
    waiter.finish(.failure(DeadlineExceeded()))
    task.cancel()
  }
  defer { timer.cancel() }
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { waiter.start($0) }
  } onCancel: {
    task.cancel()
    waiter.finish(.failure(CancellationError()))
  }
}

/// Resumes one continuation once, with the first result.
private final class DeadlineWaiter<Success: Sendable>: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Success, any Error>)
    case finished(Result<Success, any Error>)
    case resumed
  }

  private let state = Mutex(State.new)

  func start(_ continuation: CheckedContinuation<Success, any Error>) {
    let result: Result<Success, any Error>? = state.withLock { state in
      guard case .finished(let result) = state else {
        state = .waiting(continuation)
        return nil
      }
      state = .resumed
      return result
    }
    if let result { continuation.resume(with: result) }
  }

  func finish(_ result: Result<Success, any Error>) {
    let continuation: CheckedContinuation<Success, any Error>? = state.withLock { state in
      switch state {
      case .new: state = .finished(result)
      case .waiting(let continuation):
        state = .resumed
        return continuation
      case .finished, .resumed: break
      }
      return nil
    }
    continuation?.resume(with: result)
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
