// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import HTTPServer
import Hummingbird
import PhoneNumbers
import Publishing
import Storage

/// `/moderation/numbers/{number}/publications`: the history of a number, and since when the packs contain it, or do not.
struct NumberPublicationPages: Sendable {
  let cases: CaseStore
  let newest: NewestManifest
  let histories: PackHistories
  let interfaces: PublicationInterfaces
  let pages: PageRenderer

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, texts) = (try context.number, pages.texts(context))
    let now = Date()
    let file = try await cases.read(number.digits, at: now)
    var view: TemplateRecord?
    var packs: PackHistory?
    if let manifest = try await newest.manifest() {
      guard let history = await histories.history(of: number.digits, manifest: manifest) else {
        throw Problem.unavailable
      }
      packs = history
      view = PackHistoryView.record(history, PublicationCopy.all(of: manifest, interfaces: interfaces), texts)
    }
    let timeline = NumberTimeline(
      file: file, days: try await cases.days(of: number.digits, at: now), history: packs, worker: try context.worker)
    return try pages.page(
      "number-publications",
      [
        "number": number.formatted(.international), "digits": number.digits, "history": view,
        "events": timeline.rows(texts), "lists": file.explanation.lists.values.sorted().joined(separator: " · "),
      ], context)
  }

  /// How old copies may be, for the public page; nil before the first publication, and where it cannot be read.
  func copies(_ texts: Localizer) async -> TemplateRecord? {
    guard let manifest = try? await newest.manifest() else { return nil }
    return PackHistoryView.record(nil, PublicationCopy.all(of: manifest, interfaces: interfaces), texts)
  }
}

/// Values of the partial `pack-history`.
private enum PackHistoryView {
  /// - Parameter history: nil for the copies alone.
  static func record(
    _ history: PackHistory?, _ copies: [PublicationCopy], _ texts: Localizer
  ) -> TemplateRecord {
    let isNone = history.map { $0.places.isEmpty && $0.isComplete } ?? false
    return [
      "none": isNone ? texts("history.none", ["serial": "\(history?.earliest ?? 0)"]) : "",
      "rows": (history?.places ?? []).map { place in
        let tone =
          switch place.state {
          case .block: "alarm"
          case .identify: "warn"
          case .absent: "good"
          }
        let since = place.isExact ? "history.since" : "history.since-earlier"
        return [
          "pack": place.pack, "state": texts("history.state.\(place.state.rawValue)"), "tone": tone,
          "publication": texts(since, ["serial": "\(place.serial)"]), "since": PageTime(place.time, texts),
        ] as TemplateRecord
      },
      "copies": copies.map { copy in
        let parts = copy.interface.split(separator: "/", maxSplits: 1).map(String.init)
        let key = "history.copy.\(parts[0].replacing("_", with: "-"))"
        return [
          "interface": texts(key, ["format": parts.last ?? ""]), "age": age(copy.seconds, texts),
        ] as TemplateRecord
      },
    ]
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
