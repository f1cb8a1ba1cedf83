// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
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
      return try pages.page("changes-first", ChangesFirstPage(serial: serial), context)
    }
    let names = Set(diff.packs(of: earlier) + diff.packs(of: later)).sorted()
    let wanted = request.query("pack")
    guard let pack = names.contains(wanted) ? wanted : names.first else {
      return try pages.page("changes-first", ChangesFirstPage(serial: serial), context)
    }
    let kind = PublicationChange.Kind(rawValue: request.query("kind"))
    let found = try await diff.changes(
      from: earlier, to: later, pack: pack, kinds: kind.map { [$0] } ?? Set(PublicationChange.Kind.allCases),
      behind: Int64(request.query("after")) ?? 0, limit: Self.rows)
    let facts = try await changes.facts(
      of: found.changes.map(\.number), from: PublicationChangeStore.Side(earlier),
      to: PublicationChangeStore.Side(later, isLater: true))
    var page = ChangesPage(
      serial: serial, earlier: earlier, all: all, pack: pack, kind: kind,
      rows: found.changes.map { ChangeRow($0, facts[$0.number] ?? ChangeFacts(), texts) }, texts)
    for name in names {
      page.packs.append(
        ChangedPack(
          name, try await diff.totals(from: earlier, to: later, pack: name), serial: serial, against: earlier.serial,
          isShown: name == pack, texts))
    }
    if found.hasMore, let last = found.changes.last {
      page.next = Query.address(
        Self.address(serial),
        ["against": "\(earlier.serial)", "pack": pack, "kind": kind?.rawValue ?? "", "after": "\(last.number)"])
    }
    return try pages.page("changes", page, context)
  }
}

extension PublicationChangeStore.Side {
  /// - Parameter isLater: whether this is the later one of the two publications.
  init(_ publication: PublicationDiff.KeptPublication, isLater: Bool = false) {
    // Revocations were decided until the manifest was issued. Its time is truncated to seconds, so one second is added.
    self.init(
      serial: publication.serial,
      asOf: max(publication.head.asOf, publication.head.issued).addingTimeInterval(isLater ? 1 : 0))
  }
}

/// Values of the template `changes-first`.
struct ChangesFirstPage: Encodable {
  let serial: Int64
}

/// Values of the template `changes`.
struct ChangesPage: Encodable {
  struct Choice: Encodable {
    let value: String
    let name: String
    let isChosen: Bool
  }

  let serial: Int64
  let against: Int64
  let publications: [Choice]
  let kinds: [Choice]
  let pack: String
  var packs: [ChangedPack] = []
  let rows: [ChangeRow]
  var next = ""

  init(
    serial: Int64, earlier: PublicationDiff.KeptPublication, all: [PublicationDiff.KeptPublication], pack: String,
    kind: PublicationChange.Kind?,
    rows: [ChangeRow], _ texts: Localizer
  ) {
    self.serial = serial
    against = earlier.serial
    publications = all.filter { $0.serial != serial }.map { publication in
      Choice(
        value: "\(publication.serial)",
        name: "\(publication.serial) – \(PageTime(publication.head.issued, texts).text)",
        isChosen: publication.serial == earlier.serial)
    }
    kinds =
      [Choice(value: "", name: texts("changes.all"), isChosen: kind == nil)]
      + PublicationChange.Kind.allCases.map {
        Choice(value: $0.rawValue, name: texts("changes.\($0.rawValue)"), isChosen: $0 == kind)
      }
    self.pack = pack
    self.rows = rows
  }
}

/// The counts of changes in one pack.
struct ChangedPack: Encodable {
  let name: String
  let entered: String
  let left: String
  let relabelled: String
  let kept: String
  let link: String
  let isShown: Bool

  init(_ name: String, _ totals: ChangeTotals, serial: Int64, against: Int64, isShown: Bool, _ texts: Localizer) {
    self.name = name
    entered = texts.number(totals.entered)
    left = texts.number(totals.left)
    relabelled = texts.number(totals.relabelled)
    kept = texts.number(totals.kept)
    link = Query.address(PublicationDiffPages.address(serial), ["against": "\(against)", "pack": name])
    self.isShown = isShown
  }
}

/// A number that changed.
struct ChangeRow: Encodable {
  let digits: Int64
  let number: String
  let country: String
  let kind: String
  let tone: String
  let before: String
  let after: String
  let reason: String

  init(_ change: PublicationChange, _ facts: ChangeFacts, _ texts: Localizer) {
    digits = change.number
    number = NumberText.text(change.number)
    country = NumberText.country(change.number, texts)
    kind = texts("changes.\(change.kind.rawValue)")
    tone =
      switch change.kind {
      case .entered: "alarm"
      case .left: "good"
      case .relabelled: "warn"
      }
    before = Self.label(change.before, texts)
    after = Self.label(change.after, texts)
    let why = facts.reason(hasLeft: change.kind == .left)
    reason = texts("changes.reason-\(why.name)", ["detail": Self.detail(of: why, texts)])
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
