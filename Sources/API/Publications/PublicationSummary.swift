// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import PhoneNumbers
import Support

/// The newest publication's figures for a home-screen widget.
struct PublicationSummary: Encodable {
  let serial: Int64
  let asOf: String
  let updatedAt: String
  let expiresAt: String
  /// Nil if the server does not publish on schedule.
  let nextExpectedAt: String?
  /// The entries of the longest list of each kind. Lists overlap, so they are not added.
  let numbers: Numbers
  /// The requested region, or the region of the language.
  let region: String?
  /// The entries of the longest list of this region; nil if there is none.
  let regionNumbers: Int?

  struct Numbers: Encodable {
    let blocking: Int
    let identification: Int
  }

  private enum CodingKeys: String, CodingKey {
    case serial, numbers, region
    case asOf = "as_of"
    case updatedAt = "updated_at"
    case expiresAt = "expires_at"
    case nextExpectedAt = "next_expected_at"
    case regionNumbers = "region_numbers"
  }

  init(_ manifest: Manifest, next: Date?, region: String?) {
    serial = manifest.serial
    asOf = Timestamp.format(manifest.asOf)
    updatedAt = Timestamp.format(manifest.issued)
    expiresAt = Timestamp.format(manifest.expires)
    nextExpectedAt = next.map { Timestamp.format($0) }
    numbers = Numbers(
      blocking: Self.longest(manifest.packs.filter { $0.kind != "identification" }) ?? 0,
      identification: Self.longest(manifest.packs.filter { $0.kind != "blocking" }) ?? 0)
    self.region = region
    regionNumbers = region.flatMap { region in
      Self.longest(
        manifest.packs.filter { pack in
          let name = (pack.region ?? "").uppercased()
          return name == region || name.hasPrefix("\(region)-")
        })
    }
  }

  /// The longest list. Packs that are parts of one list, by region or shard, have no common numbers and are added.
  private static func longest(_ packs: [ManifestPack]) -> Int? {
    Dictionary(grouping: packs, by: list).values.map { $0.reduce(0) { $0 + $1.entries } }.max()
  }

  private static func list(of pack: ManifestPack) -> String {
    var name = pack.name
    if let shard = pack.shard, name.hasSuffix(".\(shard)") { name.removeLast(".\(shard)".count) }
    if let region = pack.region?.lowercased(), name.hasSuffix("-\(region)") { name.removeLast(region.count + 1) }
    return name
  }
}

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
