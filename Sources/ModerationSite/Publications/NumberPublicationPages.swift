// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import HTTPServer
import Hummingbird
import Localization
import PhoneNumbers
import Publishing
import Storage

/// `/moderation/numbers/{number}/publications`: since when the packs contain a number, or do not.
struct NumberPublicationPages: Sendable {
  let explanations: ExplanationStore
  let newest: NewestManifest
  let histories: PackHistories
  let interfaces: PublicationInterfaces
  let pages: PageRenderer

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, texts) = (try context.number, pages.texts(context))
    let explanation = try await explanations.explain(number.digits, at: Date())
    var view: PackHistoryView?
    if let manifest = try await newest.manifest() {
      guard let history = await histories.history(of: number.digits, manifest: manifest) else {
        throw Problem.unavailable
      }
      view = PackHistoryView(history, PublicationCopy.all(of: manifest, interfaces: interfaces), texts)
    }
    return try pages.page(
      "number-publications",
      NumberPublicationsPage(
        number: number.formatted(.international), digits: number.digits, history: view,
        lists: explanation.lists.values.sorted().joined(separator: " · ")),
      context)
  }

  /// How old copies may be, for the public page; nil before the first publication, and where it cannot be read.
  func copies(_ texts: Localizer) async -> PackHistoryView? {
    guard let manifest = try? await newest.manifest() else { return nil }
    return PackHistoryView(nil, PublicationCopy.all(of: manifest, interfaces: interfaces), texts)
  }
}

/// Values of the template `number-publications`.
struct NumberPublicationsPage: Encodable {
  let number: String
  let digits: Int64
  let history: PackHistoryView?
  let lists: String
}

/// Values of the partial `pack-history`.
struct PackHistoryView: Encodable {
  struct Row: Encodable {
    let pack: String
    let state: String
    let tone: String
    let publication: String
    let since: PageTime
  }

  struct Copy: Encodable {
    let interface: String
    let age: String
  }

  let none: String
  let rows: [Row]
  let copies: [Copy]

  /// - Parameter history: nil for the copies alone.
  init(_ history: PackHistory?, _ copies: [PublicationCopy], _ texts: Localizer) {
    let isNone = history.map { $0.places.isEmpty && $0.isComplete } ?? false
    none = isNone ? texts("history.none", ["serial": "\(history?.earliest ?? 0)"]) : ""
    rows = (history?.places ?? []).map { place in
      let tone =
        switch place.state {
        case .block: "alarm"
        case .identify: "warn"
        case .absent: "good"
        }
      return Row(
        pack: place.pack, state: texts("history.state.\(place.state.rawValue)"), tone: tone,
        publication: texts(place.isExact ? "history.since" : "history.since-earlier", ["serial": "\(place.serial)"]),
        since: PageTime(place.time, texts))
    }
    self.copies = copies.map { copy in
      let parts = copy.interface.split(separator: "/", maxSplits: 1).map(String.init)
      let key = "history.copy.\(parts[0].replacing("_", with: "-"))"
      return Copy(interface: texts(key, ["format": parts.last ?? ""]), age: Self.age(copy.seconds, texts))
    }
  }

  private static func age(_ seconds: Int?, _ texts: Localizer) -> String {
    switch seconds {
    case nil: texts("history.age.own")
    case 0: texts("history.age.none")
    case .some(let seconds) where seconds >= 2 * 86_400: texts.count("history.age.days", seconds / 86_400)
    case .some(let seconds) where seconds >= 3_600: texts.count("history.age.hours", seconds / 3_600)
    case .some(let seconds): texts.count("history.age.minutes", max(1, seconds / 60))
    }
  }
}
