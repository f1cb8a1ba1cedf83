// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import PackFormats
import PageTemplates
import Publishing

/// `/lists`: the public page of the lists for other programs.
struct ListPages: Sendable {
  let newest: NewestManifest
  let lists: ListFiles
  let presets: SpamBlockerPresets
  /// Whether the server has PhoneBlock's API.
  let hasPhoneBlock: Bool
  /// Whether only the holder of a key may know the lists.
  let needsKey: Bool
  let pages: PageRenderer

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let manifest = try await newest.manifest()
    var offers: [ListOffer] = []
    if let manifest, !needsKey { offers = try await lists.offers(of: manifest) }
    let host = request.head.authority ?? "HOST"
    let texts = pages.texts(context)
    let regions = Dictionary(grouping: offers) { $0.pack.region ?? "" }
    return try pages.page(
      "lists",
      [
        "needsKey": needsKey, "published": manifest.map { PageTime($0.issued, texts) },
        "query": presets.query(host: host),
        "groups": regions.sorted { $0.key < $1.key }.map { region, offers in
          [
            "name": region.isEmpty ? texts("lists.all-regions") : texts.country(region),
            "lists": offers.map { $0.record(presets, host: host, texts) },
          ] as TemplateRecord
        },
        "hashQuery": hasPhoneBlock ? presets.hashQuery(host: host) : "",
        "report": hasPhoneBlock ? presets.report(host: host) : "",
      ], context)
  }
}

extension ListOffer {
  fileprivate func record(_ presets: SpamBlockerPresets, host: String, _ texts: Localizer) -> TemplateRecord {
    let path = { (format: ListFormat) in "/v1/lists/\(pack.name).\(format.fileExtension)" }
    return [
      "name": pack.name, "entries": texts.number(entries),
      "categories": categories.map { "\($0.label) (\(texts.number($0.entries)))" }.joined(separator: " · "),
      "formats": formats.map { ["name": $0.fileExtension, "path": path($0)] as TemplateRecord },
      "workflow": presets.workflow(path: path(.spamblocker), host: host),
    ]
  }
}
