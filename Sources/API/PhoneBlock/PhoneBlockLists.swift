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
  let publications: PublicationStore
  let hottest: HottestCallers
  let personal: PersonalNumberStore
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
      return Self.binary(try await hottestList().binary(options))
    case .hottest(let limit, let isXML):
      metrics.note(.hottest)
      let list = try await hottestList()
      // The version of the complete list, so that `since` gives the changes after it.
      let version = try? await source().flatMap { $0.manifest.serial == list.serial ? $0.pack.serial : nil }
      return Self.text(
        list.callers.prefix(limit).map { ($0.number, Self.figures(of: $0, at: list.time)) }, isXML: isXML,
        version: version ?? list.serial)
    case .text(let isXML, let since):
      metrics.note(since == nil ? .full : .changes)
      return try await text(isXML: isXML, since: since, request, context)
    }
  }

  /// The complete list of the newest publication, from a file that is kept until its pack changes.
  private func text(
    isXML: Bool, since: Int64?, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    guard let (manifest, pack) = try await source() else { return Self.text([], isXML: isXML, version: 0) }
    let isCompressed = AcceptEncodingField(request.headers[.acceptEncoding]).acceptsGzip
    let path = try await withDeadline(HottestCallers.patience) { [lists, callers, publications] in
      try await lists.phoneBlockList(
        of: pack, isXML: isXML, since: since, isCompressed: isCompressed, in: manifest
      ) { numbers in
        try await publications.requireListings(of: manifest.serial)
        let time = Date()
        let known = try await callers.callers(numbers, at: time)
        var figures = Dictionary(known.map { ($0.number, Self.figures(of: $0, at: time)) }) { first, _ in first }
        guard figures.count < numbers.count else { return figures }
        // Rules list the others by their ranges alone.
        var ranges = try await callers.blockedRanges()[...]
        for number in numbers where figures[number] == nil {
          ranges = ranges.drop { $0.upperBound < number }
          // The next publication has removed it, and its manifest is visible.
          guard ranges.first?.contains(number) == true else { throw Problem.unavailable }
          figures[number] = PhoneBlockFigures(
            votes: PhoneBlockVotes.listed, rating: PhoneBlockRating.missed.rawValue,
            lastActivity: Int64(manifest.asOf.timeIntervalSince1970 * 1_000))
        }
        return figures
      }
    }
    return try await files.answer(
      path, freshness: .checked, mediaType: Self.mediaType(isXML: isXML), coding: isCompressed ? "gzip" : "identity",
      to: request, context: context)
  }

  /// The first pack by name for all regions in one part: a client that loads changes needs the same pack each time.
  /// - Returns: nil before a publication with numbers to block.
  /// - Throws: ``PhoneBlockError/noCompleteList``.
  private func source() async throws -> (manifest: Manifest, pack: ManifestPack)? {
    guard let manifest = try await newest.manifest() else { return nil }
    let packs = try await lists.offers(of: manifest).map(\.pack)
    guard let pack = packs.filter({ $0.region == nil && $0.shard == nil }).min(by: { $0.name < $1.name }) else {
      if packs.isEmpty { return nil }
      throw PhoneBlockError.noCompleteList
    }
    return (manifest, pack)
  }

  private func hottestList() async throws -> HottestCallers.List {
    try await hottest.list(serial: try await newest.manifest()?.serial ?? 0)
  }

  private func personalList(_ request: Request, _ context: ServerRequestContext) async throws -> [UInt8] {
    let reporter = try pseudonymizer.pseudonym(of: request, context: context)
    var file = PhoneBlockBinaryList()
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
      votes: PhoneBlockVotes.bucket(max(PhoneBlockVotes.listed, PhoneBlockVotes.votes(of: caller, at: time))),
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

struct PhoneBlockListQuery {
  enum Content: Equatable {
    /// All numbers, or the changes since a serial.
    case text(isXML: Bool, since: Int64?)
    /// Some numbers with the highest heat.
    case hottest(Int, isXML: Bool)
    case binary(PhoneBlockBinaryOptions)
    /// The user's own numbers, binary.
    case personal
  }

  let content: Content

  /// - Throws: ``PhoneBlockError`` for parameters that are malformed or exclude each other.
  init(_ request: Request) throws {
    let query = request.uri.queryParameters
    let accept = request.headers[.accept]?.lowercased() ?? ""
    let format = query["format"].map(String.init) ?? (accept.hasSuffix("/xml") ? "xml" : "json")
    guard ["json", "xml", "binary"].contains(format) else {
      throw PhoneBlockError.invalid("format", format, "json, xml or binary")
    }
    let since = try query["since"].map { text in
      guard let since = Int64(text), since >= 0 else {
        throw PhoneBlockError.invalid("since", text, "a version number, 0 or more")
      }
      return since
    }
    let limit = try query["limit"].map { text in
      guard let limit = Int(text), (1...5_000).contains(limit) else {
        throw PhoneBlockError.invalid("limit", text, "a number from 1 to 5000")
      }
      return limit
    }
    let type = query["type"].map(String.init) ?? "community"
    guard ["community", "personal"].contains(type) else {
      throw PhoneBlockError.invalid("type", type, "community or personal")
    }
    if let since, limit != nil || format == "binary" {
      throw PhoneBlockError.invalid("since", "\(since)", "absent with limit and with format=binary")
    }
    if format == "binary" {
      content =
        type == "personal"
        ? .personal
        : .binary(
          .init(
            minDirect: query["minDirect"].flatMap { Int($0) }, minRange: query["minRange"].flatMap { Int($0) },
            maxBytes: query["maxBytes"].flatMap { Int($0) }))
    } else if let limit {
      content = .hottest(limit, isXML: format == "xml")
    } else {
      content = .text(isXML: format == "xml", since: since.flatMap { $0 > 0 ? $0 : nil })
    }
  }
}
