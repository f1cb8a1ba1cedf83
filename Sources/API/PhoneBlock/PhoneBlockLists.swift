// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import NIOCore
import PackFormats
import PhoneNumbers
import Publishing
import Storage

/// `GET /phoneblock/api/blocklist`
struct PhoneBlockLists: Sendable {
  let newest: NewestManifest
  let lists: ListFiles
  let files: FileAnswer
  let callers: CallerStore
  let binaries: PhoneBlockBinaries
  let personal: PersonalNumberStore
  let region: PhoneRegion?
  let pseudonymizer: Pseudonymizer
  let metrics: PhoneBlockMetrics

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let query = try PhoneBlockListQuery(request)
    switch query.content {
    case .personal:
      metrics.note(.personal)
      return Self.binary(try await personalList(request, context))
    case .binary(let options):
      metrics.note(.binary)
      let serial = try await newest.manifest()?.serial ?? 0
      return Self.binary(try await binaries.list(options, serial: serial))
    case .hottest(let limit, let isXML):
      metrics.note(.hottest)
      return try await hottest(limit, isXML: isXML)
    case .text(let isXML, let since):
      metrics.note(since == nil ? .full : .changes)
      return try await text(isXML: isXML, since: since, request, context)
    }
  }

  /// The list with the most numbers of the newest publication, from a file that is kept until its pack changes.
  private func text(
    isXML: Bool, since: Int64?, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    guard let (manifest, pack) = try await source() else { return Self.text([], isXML: isXML, version: 0) }
    let isCompressed = AcceptEncodingField(request.headers[.acceptEncoding]).acceptsGzip
    let path = try await lists.phoneBlockList(
      of: pack, isXML: isXML, since: since, isCompressed: isCompressed, in: manifest
    ) { [callers] numbers in
      let time = Date()
      return Dictionary(
        try await callers.callers(numbers).map { ($0.number, Self.figures(of: $0, at: time)) }
      ) { first, _ in first }
    }
    return try await files.answer(
      path, freshness: .checked, mediaType: Self.mediaType(isXML: isXML), coding: isCompressed ? "gzip" : "identity",
      to: request, context: context)
  }

  /// - Returns: nil before a publication with numbers to block.
  private func source() async throws -> (manifest: Manifest, pack: ManifestPack)? {
    guard let manifest = try await newest.manifest() else { return nil }
    let largest = try await lists.offers(of: manifest).max { ($0.entries, $1.pack.name) < ($1.entries, $0.pack.name) }
    return largest.map { (manifest, $0.pack) }
  }

  private func hottest(_ limit: Int, isXML: Bool) async throws -> Response {
    let version = try await source()?.pack.serial ?? 0
    let time = Date()
    let found = try await callers.hottest(
      limit, prefix: region.map { "\($0.callingCode)" } ?? "", evidence: nil, at: time)
    return Self.text(found.map { ($0.number, Self.figures(of: $0, at: time)) }, isXML: isXML, version: version)
  }

  private func personalList(_ request: Request, _ context: ServerRequestContext) async throws -> [UInt8] {
    let reporter = try pseudonymizer.pseudonym(of: request, context: context)
    var file = PBBLFile()
    let entries = try await withDeadline { [personal] in try await personal.entries(of: reporter) }
    for entry in entries {
      if entry.isPrefix {
        file.append(prefix: entry.number, blocks: entry.isBlocked)
      } else {
        file.append(entry.number, blocks: entry.isBlocked)
      }
    }
    var bytes: [UInt8] = []
    file.encode(into: &bytes)
    return bytes
  }

  private static func figures(of caller: ListedCaller, at time: Date) -> PhoneBlockFigures {
    PhoneBlockFigures(
      votes: PhoneBlockVotes.bucket(max(10, PhoneBlockVotes.votes(of: caller, isInRange: false, at: time))),
      rating: PhoneBlockRating(caller.category).rawValue,
      lastActivity: Int64(caller.listedAt.timeIntervalSince1970 * 1_000))
  }

  private static func text(
    _ entries: [(number: Int64, figures: PhoneBlockFigures)], isXML: Bool, version: Int64
  ) -> Response {
    var text = PhoneBlockListText(isXML: isXML, version: version)
    var body = text.start
    for entry in entries { body += text.entry(entry.number, entry.figures) }
    return Response(
      status: .ok, headers: [.contentType: mediaType(isXML: isXML)],
      body: .init(byteBuffer: ByteBuffer(string: body + text.end)))
  }

  private static func mediaType(isXML: Bool) -> String {
    isXML ? "text/xml; charset=utf-8" : "application/json; charset=utf-8"
  }

  private static func binary(_ bytes: [UInt8]) -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/octet-stream"],
      body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
