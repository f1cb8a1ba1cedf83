// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import PackFormats
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
    var page = ListsPage(offers, presets, host: host, issued: manifest?.issued, pages.texts(context))
    page.needsKey = needsKey
    if hasPhoneBlock {
      page.hashQuery = presets.hashQuery(host: host)
      page.report = presets.report(host: host)
    }
    return try pages.page("lists", page, context)
  }
}

/// Values of the template `lists`.
struct ListsPage: Encodable {
  var needsKey = false
  let published: [PageTime]
  let groups: [Group]
  let query: String
  /// Texts for PhoneBlock's API; empty without it.
  var hashQuery = ""
  var report = ""

  /// The lists of one region.
  struct Group: Encodable {
    let name: String
    let lists: [List]
  }

  struct List: Encodable {
    let name: String
    let entries: String
    let categories: String
    let formats: [Format]
    let workflow: String
  }

  struct Format: Encodable {
    let name: String
    let path: String
  }

  init(_ offers: [ListOffer], _ presets: SpamBlockerPresets, host: String, issued: Date?, _ texts: Localizer) {
    published = issued.map { [PageTime($0, texts)] } ?? []
    query = presets.query(host: host)
    let regions = Dictionary(grouping: offers) { $0.pack.region ?? "" }
    groups = regions.sorted { $0.key < $1.key }.map { region, offers in
      Group(
        name: region.isEmpty ? texts("lists.all-regions") : texts.country(region),
        lists: offers.map { List($0, presets, host: host, texts) })
    }
  }
}

extension ListsPage.List {
  init(_ offer: ListOffer, _ presets: SpamBlockerPresets, host: String, _ texts: Localizer) {
    let path = { (format: ListFormat) in "/v1/lists/\(offer.pack.name).\(format.fileExtension)" }
    name = offer.pack.name
    entries = texts.number(offer.entries)
    categories = offer.categories.map { "\($0.label) (\(texts.number($0.entries)))" }.joined(separator: " · ")
    formats = offer.formats.map { ListsPage.Format(name: $0.fileExtension, path: path($0)) }
    workflow = presets.workflow(path: path(.spamblocker), host: host)
  }
}
