// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird
import Logging
import NIOHTTP1

/// Converts every error to a response: a JSON problem for the API, a page elsewhere. Internal failures are logged here
/// once; their text is never sent.
package struct ErrorMiddleware: RouterMiddleware {
  /// Renders a problem for a browser.
  package typealias ProblemPage = @Sendable (Problem, Request, ServerRequestContext) async throws -> Response

  package let page: ProblemPage
  package let failures: FailureLog

  /// - Parameter failures: logs internal failures at a limited rate.
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
