// SPDX-License-Identifier: Apache-2.0

import CallerPack
import HTTPServer
import HTTPTypes
import Hummingbird
import PackFormats
import Publishing

/// `GET /v1/lists`, and `GET /v1/lists/{pack}.{format}`: the newest publication in the formats of other programs.
struct ListsController: Sendable {
  let newest: NewestManifest
  let lists: ListFiles
  let files: FileAnswer
  let presets: SpamBlockerPresets
  let hasPhoneBlock: Bool
  let metrics: ListMetrics

  @Sendable func catalogue(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let manifest = try await newest.manifest() else { throw Problem.nothingPublished }
    let catalogue = ListCatalogue(
      manifest, offers: try await lists.offers(of: manifest), presets: presets, hasPhoneBlock: hasPhoneBlock,
      host: request.head.authority ?? "HOST")
    var response = JSON.response(catalogue)
    response.headers[.cacheControl] = "public, no-cache"
    return response
  }

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let file = try context.parameters.require("file")
    guard let (name, format) = Self.split(file) else { throw Problem.notFound }
    let since = try Self.since(request, format)
    guard let manifest = try await newest.manifest() else { throw Problem.nothingPublished }
    let offer = try await lists.offers(of: manifest).first { $0.pack.name == name }
    guard let offer else { throw Problem.notFound }
    if let limit = format.maximumEntries, offer.entries > limit {
      throw Problem(
        .notFound,
        detail:
          "The list has \(offer.entries) numbers. A list of the format \(format.rawValue) can have at most \(limit).")
    }
    metrics.note(format)
    let isCompressed = !format.isCompressed && AcceptEncodingField(request.headers[.acceptEncoding]).acceptsGzip
    let path = try await lists.file(
      .init(pack: offer.pack, format: format, since: since, isCompressed: isCompressed), of: manifest)
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

  /// The query parameter `since`; nil for a format without changes, whose lists are complete.
  private static func since(_ request: Request, _ format: ListFormat) throws -> Int64? {
    guard let text = request.uri.queryParameters["since"] else { return nil }
    guard let since = Int64(text), since >= 0 else {
      throw Problem.malformed("The parameter since must be the serial of a list, such as 12.")
    }
    return format.hasChanges ? since : nil
  }
}
