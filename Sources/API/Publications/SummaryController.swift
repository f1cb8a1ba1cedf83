// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import CallerPack
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PhoneNumbers

/// `GET /v1/summary`: a few hundred bytes for a home-screen widget, which shared caches may store.
struct SummaryController: Sendable {
  let newest: NewestManifest
  /// The next scheduled publication after a given time; nil if unknown.
  let next: @Sendable (Date) -> Date?

  @Sendable func summary(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let asked = request.uri.queryParameters["region"].map(String.init)
    if let asked, !PhoneRegion.isSupported(asked) { throw Problem.notARegion(asked) }
    guard let manifest = try await newest.manifest() else { throw Problem.nothingPublished }
    let region =
      asked.flatMap { CallerRegion.country($0) }
      ?? request.headers[.acceptLanguage].flatMap { CallerRegion.country(acceptLanguage: $0) }
    let body = JSON.encode(PublicationSummary(manifest, next: next(Date()), region: region))
    let tag = EntityTag(PackDigest.of(Array(body.readableBytesView)).hex)
    var headers: HTTPFields = [.cacheControl: "public, max-age=300", .eTag: tag.field]
    if asked == nil { headers[.vary] = "Accept-Language" }
    if let known = request.headers[.ifNoneMatch], EntityTagList(known).contains(where: tag.matchesWeakly) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = "application/json; charset=utf-8"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: body))
  }
}
