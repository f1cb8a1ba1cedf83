import HTTPTypes
import Hummingbird
import Intake
import Logging
import NIOHTTP1
import Storage

/// Turns every error into an answer: a problem in JSON for the API, a page elsewhere. A failure of ours is logged here,
/// once; what a caller sees of it never holds its text.
struct ErrorMiddleware: RouterMiddleware {
  let pages: PageRenderer

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPParserError {
      // The server answers it and closes the connection.
      throw error
    } catch {
      return answer(to: error, request: request, context: context)
    }
  }

  private func answer(to error: any Error, request: Request, context: WebContext) -> Response {
    let problem = problem(for: error)
    // What is answered on purpose, when the server stops or is full, is no failure; a flood would fill the log with it.
    if problem.status >= 500, !(error is Problem), !(error is IntakeError) {
      context.logger.error(
        "request failed",
        metadata: [
          "request.path": .string(request.uri.path), "http.status": .stringConvertible(problem.status),
          "error": .string(String(describing: error)),
        ])
    }
    let wantsPage = request.headers[.accept]?.contains("text/html") ?? false
    guard wantsPage, !request.uri.path.hasPrefix("/v1/") else { return problem.response }
    return pages.page("problem", problem, status: .init(code: problem.status))
  }

  private func problem(for error: any Error) -> Problem {
    switch error {
    case let problem as Problem: problem
    case is IntakeError: .unavailable
    case let error as HTTPError: Self.problem(of: error)
    default: StoreFault(error) == .unavailable ? .unavailable : .internal
    }
  }

  private static func problem(of error: HTTPError) -> Problem {
    switch error.status {
    case .notFound: .notFound
    case .contentTooLarge: .tooLarge(limit: BodyReader.objectLimit)
    case .internalServerError: .internal
    default:
      Problem(error.status, type: "request", title: error.status.reasonPhrase, detail: "The request cannot be served.")
    }
  }
}
