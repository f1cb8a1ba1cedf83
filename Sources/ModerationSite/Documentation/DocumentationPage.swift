import HTTPServer
import HTTPTypes

/// The documentation page: the description of the API, and the catalog of problems.
struct DocumentationPage: Sendable, Encodable {
  let introduction: String
  let version: String
  let groups: [OpenAPIDocument.Group]
  let models: [OpenAPIDocument.Object]
  let problems: [ProblemView]

  init(_ document: OpenAPIDocument) {
    introduction = document.introduction
    version = document.version
    groups = document.groups
    models = document.objects
    problems = ProblemKind.allCases.map(ProblemView.init)
  }
}

/// A kind of problem, as pages show it.
struct ProblemView: Sendable, Encodable {
  let slug: String
  let path: String
  let status: Int
  let title: String
  let cause: String
  let remedy: String
  let example: String

  init(_ kind: ProblemKind) {
    let account = kind.account
    slug = kind.rawValue
    path = kind.path
    status = account.status.code
    title = account.title
    cause = account.cause
    remedy = account.remedy
    example = JSON.pretty(kind.example)
  }
}
