// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird
package import Logging
import NIOHTTP1
import Synchronization

/// Converts every error to a response: a JSON problem for the API, a page elsewhere. Internal failures are logged here
/// once; their text is never sent.
package struct ErrorMiddleware: RouterMiddleware {
  /// Renders a problem for a browser.
  package typealias ProblemPage = @Sendable (Problem, Request, ServerRequestContext) async throws -> Response

  package let page: ProblemPage
  package let failures: FailureLog

  package init(page: @escaping ProblemPage, failures: FailureLog) {
    self.page = page
    self.failures = failures
  }

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPParserError {
      // The server answers it and closes the connection.
      throw error
    } catch {
      return await answer(to: error, request: request, context: context)
    }
  }

  private func answer(to error: any Error, request: Request, context: ServerRequestContext) async -> Response {
    let path = context.route ?? "none"
    let problem = Problem.answering(error, path: path, log: failures, logger: context.logger)
    let wantsPage = request.headers[.accept]?.contains("text/html") ?? false
    guard wantsPage, !request.uri.path.hasPrefix("/v1/") else { return problem.response }
    var response: Response
    do {
      response = try await page(problem, request, context)
    } catch {
      _ = Problem.answering(error, path: path, log: failures, logger: context.logger)
      return problem.response
    }
    if let retryAfter = problem.retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }
}

/// Removes the body of every error below a path. Telephone systems show the body of any response as the name of the
/// caller. Place it before ``ErrorMiddleware``.
package struct EmptyErrorMiddleware: RouterMiddleware {
  private let path: [Substring]

  /// - Parameter path: such as `/v1/pbx`.
  package init(path: String) {
    self.path = path.split(separator: "/")
  }

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    // The router ignores empty parts of a path, as in `//v1/pbx`.
    guard response.status.code >= 400, request.uri.path.split(separator: "/").starts(with: path) else {
      return response
    }
    response.headers[.contentType] = nil
    response.headers[.contentLength] = nil
    response.body = .init()
    return response
  }
}

/// Logs internal failures, at most one line per second with the count of omitted ones. If the database is unreachable,
/// every request fails, and unlimited logging could fill the disk.
package final class FailureLog: Sendable {
  private struct State {
    var last: ContinuousClock.Instant?
    var omitted = 0
  }

  private let state = Mutex(State())
  private static let interval = Duration.seconds(1)

  package init() {}

  package func note(
    _ message: Logger.Message, metadata: Logger.Metadata, to logger: Logger, at now: ContinuousClock.Instant = .now
  ) {
    let omitted: Int? = state.withLock { state in
      if let last = state.last, now - last < Self.interval {
        state.omitted += 1
        return nil
      }
      defer { state = State(last: now) }
      return state.omitted
    }
    guard let omitted else { return }
    var metadata = metadata
    if omitted > 0 { metadata["omitted"] = .stringConvertible(omitted) }
    logger.error(message, metadata: metadata)
  }
}
