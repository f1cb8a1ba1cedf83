// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import CallerPack
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.json`
struct OpenAPIController: Sendable {
  private let document: ByteBuffer
  private let tag: EntityTag

  init(document: OpenAPIDocument) {
    self.document = ByteBuffer(string: document.json)
    tag = EntityTag(PackDigest.of(Array(document.json.utf8)).hex)
  }

  @Sendable func read(_ request: Request, context: ServerRequestContext) -> Response {
    var headers: HTTPFields = [.cacheControl: "public, max-age=300", .eTag: tag.field]
    if let known = request.headers[.ifNoneMatch], EntityTagList(known).contains(where: tag.matchesWeakly) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = JSON.contentType
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: document))
  }
}
