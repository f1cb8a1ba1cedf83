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

/// The documentation page: the description of the API and the catalog of problems.
struct DocumentationPage: Sendable, Encodable {
  let introduction: String
  let version: String
  let groups: [OpenAPIDocument.Group]
  let models: [OpenAPIDocument.Object]
  let problems: [ProblemDescription<String>]

  init(_ document: OpenAPIDocument) {
    introduction = document.introduction
    version = document.version
    groups = document.groups
    models = document.objects
    problems = ProblemKind.allCases.map(ProblemDescription.init(page:))
  }
}

/// A kind of problem with an example: as a JSON value for the API, as text for pages.
struct ProblemDescription<Example: Encodable & Sendable>: Sendable, Encodable {
  /// The path of the problem's page.
  let type: String
  let slug: String
  let title: String
  let status: Int
  let cause: String
  let remedy: String
  let example: Example

  init(_ kind: ProblemKind, example: Example) {
    let documentation = kind.documentation
    type = kind.path
    slug = kind.rawValue
    title = documentation.title
    status = documentation.status.code
    cause = documentation.cause
    remedy = documentation.remedy
    self.example = example
  }
}

extension ProblemDescription<String> {
  /// Creates the description for a page.
  init(page kind: ProblemKind) { self.init(kind, example: JSON.pretty(kind.example)) }
}
