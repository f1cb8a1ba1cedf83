// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import PackFormats
import Publishing

/// `/lists`: the public page of the lists for other programs.
struct ListPages: Sendable {
  let newest: NewestManifest
  let lists: ListFiles
  let presets: SpamBlockerPresets
  let hasPhoneBlock: Bool
  let access: AccessConfiguration
  let pages: PageRenderer

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let manifest = try await newest.manifest()
    var offers: [ListOffer] = []
    // Only the holder of a key may know the lists.
    let needsKey = access.publicationsNeedKey
    if let manifest, !needsKey { offers = try await lists.offers(of: manifest) }
    let server = access.address(for: request)
    let texts = pages.texts(context)
    let regions = Dictionary(grouping: offers) { $0.pack.region ?? "" }
    var response = try pages.page(
      "lists",
      [
        "needsKey": needsKey, "published": manifest.map { PageTime($0.issued, texts) },
        "query": presets.query(server: server),
        "groups": regions.sorted { $0.key < $1.key }.map { region, offers in
          [
            "name": region.isEmpty ? texts("lists.all-regions") : texts.country(region),
            "lists": offers.map { $0.record(presets, server: server, texts) },
          ] as TemplateRecord
        },
        "hashQuery": hasPhoneBlock ? presets.hashQuery(server: server) : "",
        "report": hasPhoneBlock ? presets.report(server: server) : "",
      ], context)
    response.headers[.cacheControl] = access.addressCaching
    return response
  }
}

extension ListOffer {
  fileprivate func record(_ presets: SpamBlockerPresets, server: String, _ texts: Localizer) -> TemplateRecord {
    let path = { (format: ListFormat) in "/v1/lists/\(pack.name).\(format.fileExtension)" }
    return [
      "name": pack.name, "entries": texts.number(entries),
      "categories": categories.map { "\($0.label) (\(texts.number($0.entries)))" }.joined(separator: " · "),
      "formats": ListFormat.allCases.map { format in
        let kept = self.entries(in: format)
        return [
          "name": format.fileExtension, "path": path(format),
          "kept": kept < entries ? texts("lists.most-reported", ["n": texts.number(kept)]) : "",
        ] as TemplateRecord
      },
      "workflow": presets.workflow(path: path(.spamblocker), server: server),
    ]
  }
}
