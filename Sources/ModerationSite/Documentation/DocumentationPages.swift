import HTTPServer
import HTTPTypes
import Hummingbird

/// `GET /docs` and `/problems/{kind}`: the documentation of the API for people.
struct DocumentationPages: Sendable {
  let page: DocumentationPage
  let pages: PageRenderer

  @Sendable func docs(_ request: Request, context: ServerRequestContext) -> Response {
    pages.page("docs", page, context)
  }

  @Sendable func problems(_ request: Request, context: ServerRequestContext) -> Response {
    .redirect(to: "/docs#problems", type: .found)
  }

  /// A kind of problem, as a page, or as JSON for clients that prefer it.
  @Sendable func problem(_ request: Request, context: ServerRequestContext) throws -> Response {
    guard let kind = ProblemKind(rawValue: try context.parameters.require("kind")) else { throw Problem.notFound }
    let accept = AcceptField(request.headers[.accept])
    var response =
      accept.quality(of: "application/json") > accept.quality(of: "text/html")
      ? JSON.response(ProblemAnswer(kind)) : pages.page("problem-kind", ProblemView(kind), context)
    response.headers[.vary] = response.headers[.vary].map { "Accept, \($0)" } ?? "Accept"
    return response
  }
}

/// The JSON of a kind of problem.
struct ProblemAnswer: Encodable {
  let type: String
  let title: String
  let status: Int
  let cause: String
  let remedy: String
  let example: Problem

  init(_ kind: ProblemKind) {
    let account = kind.account
    type = kind.path
    title = account.title
    status = account.status.code
    cause = account.cause
    remedy = account.remedy
    example = kind.example
  }
}
