// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Metrics
import PackFormats
import PhoneNumbers
import Publishing
import Storage
import Support

/// `GET /v1/lists`, and `GET /v1/lists/{pack}.{format}`: the newest publication in the formats of other programs.
struct ListsController: Sendable {
  let newest: NewestManifest
  let lists: ListFiles
  let files: FileAnswer
  let stores: Stores
  let presets: SpamBlockerPresets
  let access: AccessConfiguration
  let hasPhoneBlock: Bool
  let metrics: ListMetrics

  @Sendable func catalogue(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let manifest = try await newest.manifest() else { throw Problem.nothingPublished }
    let catalogue = ListCatalogue(
      manifest, offers: try await lists.offers(of: manifest), presets: presets, hasPhoneBlock: hasPhoneBlock,
      server: access.address(for: request))
    var response = JSON.response(catalogue)
    response.headers[.cacheControl] = access.addressCaching
    return response
  }

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let file = try context.parameters.require("file")
    guard let (name, format) = Self.split(file) else { throw Problem.notFound }
    let since = try Self.since(request, format)
    let hasLabeled = try Self.hasLabeled(request, format)
    guard let manifest = try await newest.manifest() else { throw Problem.nothingPublished }
    // A pack without numbers to block is offered with its labels alone.
    let packs = hasLabeled ? manifest.packs : try await lists.offers(of: manifest).map(\.pack)
    guard let pack = packs.first(where: { $0.name == name }) else { throw Problem.notFound }
    metrics.note(format)
    let isCompressed = !format.isCompressed && AcceptEncodingField(request.headers[.acceptEncoding]).acceptsGzip
    let path = try await lists.file(
      .init(pack: pack, format: format, since: since, isCompressed: isCompressed, hasLabeled: hasLabeled),
      of: manifest
    ) { [stores] in
      try await stores.publications.requireListings(of: manifest.serial)
      let prefix = CallerStore.prefix(of: pack.region.flatMap { PhoneRegion($0) })
      return try await stores.callers.hottest(prefix: prefix, at: .now).map(\.number)
    }
    return try await files.answer(
      path, freshness: .checked, mediaType: FileAnswer.mediaType(of: file),
      coding: isCompressed ? "gzip" : "identity", to: request, context: context)
  }

  /// The name of a pack and the format that ends a file name. A pack's name may have dots.
  static func split(_ file: String) -> (name: String, format: ListFormat)? {
    let formats = ListFormat.allCases.filter { file.hasSuffix(".\($0.fileExtension)") }
    let longest = formats.max { $0.fileExtension.utf8.count < $1.fileExtension.utf8.count }
    guard let format = longest else { return nil }
    return (String(file.dropLast(format.fileExtension.count + 1)), format)
  }

  /// The query parameter `labels`.
  private static func hasLabeled(_ request: Request, _ format: ListFormat) throws -> Bool {
    guard let text = request.uri.queryParameters["labels"] else { return false }
    guard text == "true" || text == "false" else {
      throw Problem.parameter("labels", String(text), "It must be true or false.")
    }
    guard text == "true" else { return false }
    guard [.csv, .tsv, .jsonl, .sqlite].contains(format) else {
      throw Problem(
        .notFound,
        detail: "The format \(format.rawValue) has no labels. With labels=true ask for csv, tsv, jsonl or sqlite.")
    }
    return true
  }

  /// The query parameter `since`; nil for a format without changes, whose lists are complete.
  private static func since(_ request: Request, _ format: ListFormat) throws -> Int64? {
    guard let text = request.uri.queryParameters["since"] else { return nil }
    guard let since = Int64(text), since >= 0 else {
      throw Problem.parameter(
        "since", text, "It must be the serial of a list, such as 12. Leave it out for the complete list.")
    }
    return format.hasChanges ? since : nil
  }
}

/// The lists of the newest publication, and the texts that SpamBlocker imports.
struct ListCatalogue: Encodable {
  let serial: Int64
  let updatedAt: String
  let lists: [List]
  /// SpamBlocker's query for each call.
  let spamblockerQuery: String
  /// SpamBlocker's query by hashes of the number, and its report; nil without PhoneBlock's API.
  let spamblockerHashQuery: String?
  let spamblockerReport: String?

  struct List: Encodable {
    let pack: String
    /// Nil for all regions.
    let region: String?
    let serial: Int64
    let entries: Int
    let categories: [Category]
    let formats: [Format]
    /// SpamBlocker's workflow that imports the list each day.
    let spamblockerWorkflow: String

    private enum CodingKeys: String, CodingKey {
      case pack, region, serial, entries, categories, formats
      case spamblockerWorkflow = "spamblocker_workflow"
    }
  }

  struct Category: Encodable {
    let label: String
    let entries: Int
  }

  struct Format: Encodable {
    let format: String
    let path: String
    let mediaType: String
    /// The count of numbers in the file: the most reported ones where the format has a limit.
    let entries: Int
    /// Whether the parameter `since` gives the changes alone.
    let hasChanges: Bool

    private enum CodingKeys: String, CodingKey {
      case format, path, entries
      case mediaType = "media_type"
      case hasChanges = "has_changes"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case serial, lists
    case updatedAt = "updated_at"
    case spamblockerQuery = "spamblocker_query"
    case spamblockerHashQuery = "spamblocker_hash_query"
    case spamblockerReport = "spamblocker_report"
  }

  /// - Parameters:
  /// - hasPhoneBlock: whether the server has PhoneBlock's API.
  /// - server: the address of the server, without a slash at its end.
  init(
    _ manifest: Manifest, offers: [ListOffer], presets: SpamBlockerPresets, hasPhoneBlock: Bool, server: String
  ) {
    serial = manifest.serial
    updatedAt = Timestamp.format(manifest.issued)
    lists = offers.map { offer in
      let path = { (format: ListFormat) in "/v1/lists/\(offer.pack.name).\(format.fileExtension)" }
      return List(
        pack: offer.pack.name, region: offer.pack.region, serial: offer.pack.serial, entries: offer.entries,
        categories: offer.categories.map { Category(label: $0.label, entries: $0.entries) },
        formats: ListFormat.allCases.map { format in
          Format(
            format: format.rawValue, path: path(format), mediaType: FileAnswer.mediaType(of: path(format)),
            entries: offer.entries(in: format), hasChanges: format.hasChanges)
        },
        spamblockerWorkflow: presets.workflow(path: path(.spamblocker), server: server))
    }
    spamblockerQuery = presets.query(server: server)
    spamblockerHashQuery = hasPhoneBlock ? presets.hashQuery(server: server) : nil
    spamblockerReport = hasPhoneBlock ? presets.report(server: server) : nil
  }
}

struct ListMetrics: Sendable {
  private let requests: [ListFormat: Counter]

  init(_ factory: any MetricsFactory) {
    requests = Dictionary(
      uniqueKeysWithValues: ListFormat.allCases.map { format in
        let labels = [("format", format.rawValue)]
        return (format, Counter(label: "ringfence_lists_requests_total", dimensions: labels, factory: factory))
      })
  }

  func note(_ format: ListFormat) { requests[format]?.increment() }
}
