// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Hummingbird
import Synchronization

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

/// Adds routes whose responses, with all middleware of their groups, wait no longer than the database answers.
package struct DeadlineRoutes: RouterMethods {
  package typealias Context = ServerRequestContext

  private let routes: any RouterMethods<ServerRequestContext>
  private let deadline: DatabaseDeadline

  package init(_ routes: any RouterMethods<ServerRequestContext>, deadline: DatabaseDeadline) {
    (self.routes, self.deadline) = (routes, deadline)
  }

  @discardableResult
  package func on<Responder: HTTPResponder>(
    _ path: RouterPath, method: HTTPRequest.Method, responder: Responder
  ) -> Self where Responder.Context == ServerRequestContext {
    routes.on(path, method: method, responder: DeadlineResponder(responder: responder, deadline: deadline))
    return self
  }

  @discardableResult
  package func add(middleware: any MiddlewareProtocol<Request, Response, ServerRequestContext>) -> Self {
    DeadlineRoutes(routes.add(middleware: middleware), deadline: deadline)
  }
}

/// The limit of a response while the database does not answer.
package struct DatabaseDeadline: Sendable {
  /// The time until the database is checked, and between two checks. With ``checkLimit``, a caller has a response
  /// within 5 seconds while the database is stopped.
  private static let standardLimit = Duration.seconds(3)
  private static let checkLimit = Duration.seconds(1)

  private let limit: Duration
  private let check: @Sendable () async throws -> Void

  /// - Parameter check: returns when the database answers.
  package init(check: @escaping @Sendable () async throws -> Void) {
    limit = Self.standardLimit
    self.check = check
  }

  /// A limit for all responses, even while the database answers slowly.
  package init(always limit: Duration) {
    self.limit = limit
    check = { throw DeadlineExceeded() }
  }

  /// Waits for work as long as the database answers.
  /// - Throws: ``DeadlineExceeded``; the errors of the work.
  func run<Success: Sendable>(_ work: @escaping @Sendable () async throws -> Success) async throws -> Success {
    try await withDeadline(
      limit,
      extendedWhile: { [check] in
        (try? await withDeadline(Self.checkLimit) { try await check() }) != nil
      }, work)
  }
}

private struct DeadlineResponder<Responder: HTTPResponder>: HTTPResponder
where Responder.Context == ServerRequestContext {
  let responder: Responder
  let deadline: DatabaseDeadline

  func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
    try await deadline.run { [responder] in try await responder.respond(to: request, context: context) }
  }
}
