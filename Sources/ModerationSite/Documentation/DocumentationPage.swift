// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes

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
