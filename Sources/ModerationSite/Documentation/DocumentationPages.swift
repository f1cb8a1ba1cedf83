// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Hummingbird

/// `GET /docs` and `/problems/{kind}`: the documentation of the API for people.
struct DocumentationPages: Sendable {
  let document: TemplateRecord
  let pages: PageRenderer

  @Sendable func docs(_ request: Request, context: ServerRequestContext) throws -> Response {
    try pages.page("docs", document, context)
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
      ? JSON.response(ProblemDescription(kind)) : pages.page("problem-kind", kind.record, context)
    response.headers[.vary] = response.headers[.vary].map { "Accept, \($0)" } ?? "Accept"
    return response
  }
}

/// A kind of problem with an example, for the API.
private struct ProblemDescription: Encodable {
  let type: String
  let slug: String
  let title: String
  let cause: String
  let remedy: String
  let status: Int
  let example: Problem

  init(_ kind: ProblemKind) {
    let documentation = kind.documentation
    (type, slug, title) = (kind.path, kind.rawValue, documentation.title)
    (cause, remedy, status) = (documentation.cause, documentation.remedy, documentation.status.code)
    example = kind.example
  }
}

extension ProblemKind {
  /// Values of the template `problem-kind`.
  fileprivate var record: TemplateRecord {
    [
      "type": path, "title": documentation.title, "status": documentation.status.code, "cause": documentation.cause,
      "remedy": documentation.remedy, "example": JSON.pretty(example),
    ]
  }
}

extension OpenAPIDocument {
  /// Values of the template `docs`: the description of the API and the kinds of problems.
  var record: TemplateRecord {
    [
      "introduction": introduction, "version": version, "groups": groups.map(\.record),
      "models": objects.map { object in
        [
          "name": object.name, "text": object.text, "fields": object.fields.map(\.record), "example": object.example,
        ] as TemplateRecord
      },
      "problems": ProblemKind.allCases.map(\.record),
    ]
  }
}

extension OpenAPIDocument.Group {
  fileprivate var record: TemplateRecord {
    ["name": name, "anchor": anchor, "text": text, "operations": operations.map(\.record)]
  }
}

extension OpenAPIDocument.Operation {
  fileprivate var record: TemplateRecord {
    [
      "id": id, "method": method, "path": path, "summary": summary, "paragraphs": paragraphs, "scope": scope,
      "parameters": parameters.map(\.record),
      "bodies": bodies.map {
        ["mediaType": $0.mediaType, "text": $0.text, "example": $0.example] as TemplateRecord
      },
      "answers": answers.map {
        ["status": $0.status, "text": $0.text, "model": $0.model, "example": $0.example] as TemplateRecord
      },
      "problems": problems.map { ["status": $0.status, "slug": $0.slug, "path": $0.path] as TemplateRecord },
      "curl": curl,
    ]
  }
}

extension OpenAPIDocument.Field {
  fileprivate var record: TemplateRecord { ["name": name, "kind": kind, "isRequired": isRequired, "text": text] }
}
