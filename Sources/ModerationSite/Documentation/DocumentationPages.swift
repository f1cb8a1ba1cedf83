// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Hummingbird

/// `GET /docs` and `/problems/{kind}`: the documentation of the API for people.
struct DocumentationPages: Sendable {
  let page: DocumentationPage
  let pages: PageRenderer

  @Sendable func docs(_ request: Request, context: ServerRequestContext) throws -> Response {
    try pages.page("docs", page, context)
  }

  @Sendable func problems(_ request: Request, context: ServerRequestContext) -> Response {
    .redirect(to: "/docs#problems", type: .found)
  }

  /// Shows a kind of problem as a page, or as JSON if the client prefers it.
  @Sendable func problem(_ request: Request, context: ServerRequestContext) throws -> Response {
    guard let kind = ProblemKind(rawValue: try context.parameters.require("kind")) else { throw Problem.notFound }
    let accept = AcceptField(request.headers[.accept])
    var response =
      try accept.quality(of: "application/json") > accept.quality(of: "text/html")
      ? JSON.response(ProblemDescription(kind, example: kind.example))
      : pages.page("problem-kind", ProblemDescription(page: kind), context)
    response.headers[.vary] = response.headers[.vary].map { "Accept, \($0)" } ?? "Accept"
    return response
  }
}
