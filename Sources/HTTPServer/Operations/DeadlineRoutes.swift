// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Hummingbird

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

  /// A limit for all responses, also while the database answers slowly.
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
