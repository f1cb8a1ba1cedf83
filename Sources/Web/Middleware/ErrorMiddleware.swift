import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

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
    let problem = Problem.answering(error, path: context.route ?? "none", logger: context.logger)
    let wantsPage = request.headers[.accept]?.contains("text/html") ?? false
    guard wantsPage, !request.uri.path.hasPrefix("/v1/") else { return problem.response }
    var response = pages.page(
      "problem", ProblemPage(problem, texts: pages.texts(context)), context, status: .init(code: problem.status))
    if let retryAfter = problem.retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }
}
