// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import CallerPack
import Curation
import Foundation
import Hummingbird
import Publishing
import Storage

/// `/moderation/publications/{serial}/changes`: the numbers that entered, left or changed their label since another
/// publication, and the reasons.
struct PublicationDiffPages: Sendable {
  let diff: PublicationDiff
  let changes: PublicationChangeStore
  let pages: PageRenderer

  static let rows = 50

  static func address(_ serial: Int64) -> String { "/moderation/publications/\(serial)/changes" }

  @Sendable func changes(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let serial = context.parameters.get("serial", as: Int64.self) else { throw Problem.notFound }
    let all = diff.publications()
    guard let later = all.first(where: { $0.serial == serial }) else { throw Problem.notFound }
    let texts = pages.texts(context)
    let against = Int64(request.query("against"))
    let former = all.first { $0.serial < serial }
    guard let earlier = against.map({ wish in all.first { $0.serial == wish } }) ?? former else {
      return try pages.page("changes-first", ["serial": serial], context)
    }
    let names = Set(diff.packs(of: earlier) + diff.packs(of: later)).sorted()
    var totals: [(name: String, counts: ChangeTotals)] = []
    for name in names { totals.append((name, try await diff.totals(from: earlier, to: later, pack: name))) }
    let wanted = request.query("pack")
    let firstChanged = totals.first { $0.counts.entered + $0.counts.left + $0.counts.relabelled > 0 }?.name
    guard let pack = names.contains(wanted) ? wanted : firstChanged ?? names.first else {
      return try pages.page("changes-first", ["serial": serial], context)
    }
    let kind = PublicationChange.Kind(rawValue: request.query("kind"))
    let found = try await diff.changes(
      from: earlier, to: later, pack: pack, kinds: kind.map { [$0] } ?? Set(PublicationChange.Kind.allCases),
      behind: Int64(request.query("after")) ?? 0, limit: Self.rows)
    let facts = try await changes.facts(
      of: found.changes.map(\.number), from: PublicationChangeStore.Side(earlier),
      to: PublicationChangeStore.Side(later, isLater: true))
    let packs = totals.map { name, counts in
      let link = Query.address(Self.address(serial), ["against": "\(earlier.serial)", "pack": name])
      return counts.record(texts).adding(["name": name, "link": link, "isShown": name == pack])
    }
    var next = ""
    if found.hasMore, let last = found.changes.last {
      next = Query.address(
        Self.address(serial),
        ["against": "\(earlier.serial)", "pack": pack, "kind": kind?.rawValue ?? "", "after": "\(last.number)"])
    }
    let kinds = PublicationChange.Kind.allCases.map {
      TemplateRecord.choice($0.rawValue, texts("changes.\($0.rawValue)"), isChosen: $0 == kind)
    }
    return try pages.page(
      "changes",
      [
        "serial": serial, "against": earlier.serial,
        "publications": all.filter { $0.serial != serial }.map { publication in
          TemplateRecord.choice(
            "\(publication.serial)", "\(publication.serial) – \(PageTime(publication.head.issued, texts).text)",
            isChosen: publication.serial == earlier.serial)
        },
        "kinds": [TemplateRecord.choice("", texts("changes.all"), isChosen: kind == nil)] + kinds, "pack": pack,
        "packs": packs,
        "rows": found.changes.map { $0.record(facts[$0.number] ?? ChangeFacts(), texts) }, "next": next,
      ], context)
  }
}

extension PublicationChangeStore.Side {
  /// - Parameter isLater: whether this is the later of the two publications.
  init(_ publication: PublicationDiff.KeptPublication, isLater: Bool = false) {
    // Revocations were decided until the manifest was issued. Its time is truncated to seconds, so one second is added.
    self.init(
      serial: publication.serial,
      asOf: max(publication.head.asOf, publication.head.issued).addingTimeInterval(isLater ? 1 : 0))
  }
}

extension ChangeTotals {
  /// The counts of changes in one pack.
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "entered": texts.number(entered), "left": texts.number(left), "relabelled": texts.number(relabelled),
      "kept": texts.number(kept),
    ]
  }
}

extension PublicationChange {
  fileprivate func record(_ facts: ChangeFacts, _ texts: Localizer) -> TemplateRecord {
    let tone =
      switch kind {
      case .entered: "alarm"
      case .left: "good"
      case .relabelled: "warn"
      }
    let why = facts.reason(hasLeft: kind == .left)
    return [
      "digits": number, "number": NumberText.text(number), "country": NumberText.country(number, texts),
      "kind": texts("changes.\(kind.rawValue)"), "tone": tone, "before": Self.label(before, texts),
      "after": Self.label(after, texts),
      "reason": texts("changes.reason-\(why.name)", ["detail": Self.detail(of: why, texts)]),
    ]
  }

  /// The value in the reason's message; empty if it has none.
  private static func detail(of reason: ChangeReason, _ texts: Localizer) -> String {
    switch reason {
    case .revocation(let reason): reason
    case .protected(let reason): texts.message(reason)
    case .thresholds(let version): "\(version)"
    default: ""
    }
  }

  private static func label(_ entry: PackEntry?, _ texts: Localizer) -> String {
    guard let entry else { return "–" }
    return entry.label ?? texts("changes.blocks")
  }
}
