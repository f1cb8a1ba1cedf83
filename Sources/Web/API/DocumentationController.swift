import CallerPack
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.json`, `/docs` and `/problems/{kind}`: what the API is, from one description.
struct DocumentationController: Sendable {
  private let page: DocumentationPage
  private let pages: PageRenderer
  private let document: ByteBuffer
  private let tag: EntityTag

  init(description: APIDescription, pages: PageRenderer) {
    page = DocumentationPage(description)
    self.pages = pages
    document = JSON.encode(OpenAPIDocument(description: description).json)
    tag = EntityTag(PackDigest.of(Array(document.readableBytesView)).hex)
  }

  @Sendable func openAPI(_ request: Request, context: WebContext) -> Response {
    var headers: HTTPFields = [.cacheControl: "public, max-age=300", .eTag: tag.field]
    if let known = request.headers[.ifNoneMatch], EntityTagList(known).contains(where: tag.matchesWeakly) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = JSON.contentType
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: document))
  }

  @Sendable func docs(_ request: Request, context: WebContext) -> Response {
    pages.page("docs", page, context)
  }

  @Sendable func problems(_ request: Request, context: WebContext) -> Response {
    .redirect(to: "/docs#problems", type: .found)
  }

  /// A kind of problem: for people, or as JSON for whoever would rather have that.
  @Sendable func problem(_ request: Request, context: WebContext) throws -> Response {
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
