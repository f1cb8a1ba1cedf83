// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Publishing
import Storage

/// Pages of past and running publications and of the gates that refused one.
struct PublicationPages: Sendable {
  let store: PublicationStore
  let jobs: PublicationOrders?
  let schedule: CurrentSchedule
  /// Compares the publications that are still on disk.
  let diff: PublicationDiff
  let pages: PageRenderer

  static let rows = 50

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(context, notice: request.query("done") == "schedule" ? "publications.daily-saved" : nil)
  }

  @Sendable func one(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let serial = context.parameters.get("serial", as: Int64.self), let found = try await store.find(serial) else {
      throw Problem.notFound
    }
    let isKept = diff.publications().contains { $0.serial == serial }
    return try pages.page("publication", found.record(isKept: isKept, pages.texts(context)), context)
  }

  /// - Parameters:
  ///   - draft: the form that was refused; nil for an empty form.
  ///   - notice: the key of a message.
  ///   - refused: a typed time that was not stored, the former time of the form, and `wrong` or `changed`.
  func show(
    _ context: ServerRequestContext, draft: OrderDraft? = nil, notice: String? = nil,
    daily refused: (text: String, former: String?, problem: String)? = nil,
    status: HTTPResponse.Status = .ok
  ) async throws -> Response {
    let history = try await store.history(limit: Self.rows)
    let texts = pages.texts(context)
    let daily = try await store.dailyTime()
    let kept = Set(diff.publications().map(\.serial))
    let last = try await jobs?.last()
    let isTaken = last == nil ? false : try await store.isTaken()
    // Only gates of the newest attempt can be overruled. After a refusal, numbers may have left the list singly.
    let closed = history.newestAttempt.map { $0.run.state == .refused ? $0.gates.filter { !$0.passed } : [] } ?? []
    let gates = closed.compactMap { Gate(rawValue: $0.gate) }
    let banner = PublicationBanner(history: history, last: last, isTaken: isTaken)
    return try pages.page(
      "publications",
      [
        "rows": history.map { $0.record(isKept: kept.contains($0.run.serial), texts) },
        "banner": banner.record(texts),
        // Whether an administrator can order a publication on this server.
        "canOrder": jobs != nil, "notice": notice.map { texts($0) } ?? "", "zone": daily?.zone ?? schedule.zone,
        "daily": refused?.text ?? daily?.time ?? "",
        // A form after another change is about the stored time.
        "formerDaily": (refused?.problem == "wrong" ? refused?.former : daily?.time) ?? "",
        "dailyProblem": refused.map { refused in
          let key = refused.problem == "changed" && daily == nil ? "removed" : refused.problem
          return texts("publications.daily-\(key)", ["time": daily?.time ?? ""])
        } ?? "",
        "gates": gates.allSatisfy(\.canBeOverruled)
          ? Set(gates).sorted().map { $0.record(isChosen: draft?.gates.contains($0) ?? false, texts) } : [],
        "reason": draft?.reason ?? "", "problem": draft.map { texts("publications.order-\($0.problem)") } ?? "",
        "isReasonWrong": draft?.isReasonWrong ?? false,
      ], context, status: status)
  }
}

/// A form of an order that was refused.
struct OrderDraft {
  let gates: [Gate]
  let reason: String
  /// The end of the message's key: `reason-needed`, `reason-long` or `busy`.
  let problem: String

  var isReasonWrong: Bool { problem.hasPrefix("reason") }
}

/// The state of publishing in one sentence: the running publication, or the result of the newest attempt.
struct PublicationBanner {
  /// The newest first.
  let history: [PublicationHistory]
  /// The last order; nil if there was none recently.
  let last: PublicationOrders.Order?
  /// Whether a publication is running.
  let isTaken: Bool

  private var run: PublicationRun? { history.newestAttempt?.run }
  private var running: PublicationRun? { history.first { $0.run.state == .running }?.run }
  private var isRunning: Bool { running != nil || last?.state == .running }
  /// Whether the newest attempt began after the order.
  private var isNewer: Bool {
    guard let last, let run else { return false }
    return (run.startedAt ?? run.asOf) >= last.askedAt
  }
  /// Whether the order has ended without an attempt.
  private var isUnanswered: Bool { last.map { [.failed, .broken, .busy].contains($0.state) && !isNewer } ?? false }

  func record(_ texts: Localizer) -> TemplateRecord {
    let percent = running?.percent ?? 0
    let (text, tone) = state(texts)
    let isOrdered = last.map { isUnanswered || (isNewer && run?.cause == .order) || $0.state == .running } ?? false
    // The time of the order or the attempt.
    let time = isUnanswered ? last?.askedAt : run.map { $0.publishedAt ?? $0.startedAt ?? $0.asOf }
    // An order that overrules gates is not repeated: it needs a new reason for the new publication.
    let isOver = last.map { isUnanswered && $0.gates.isEmpty } ?? false
    return [
      "text": text, "tone": tone,
      "order": isOrdered ? last.map { texts("publications.banner.by", ["name": $0.account]) } ?? "" : "",
      "time": time.map { PageTime($0, texts) }, "isRunning": isRunning,
      "serial": running.map { "\($0.serial)" } ?? "", "percent": percent, "part": texts.percent(Double(percent) / 100),
      "step": running?.step.map { texts.message("jobs.step", $0) } ?? "",
      // Whether the order may be sent again now, or after the running publication ends.
      "canRepeat": isOver && !isTaken, "mustWait": isOver && isTaken,
    ]
  }

  /// The sentence and its class of the style sheet: `plain`, `warn` or `alarm`; empty for good news.
  private func state(_ texts: Localizer) -> (text: String, tone: String) {
    if isRunning {
      let key = running == nil ? "publications.banner.ordered" : "publications.banner.running"
      return (texts(key, ["serial": running.map { "\($0.serial)" } ?? ""]), "plain")
    }
    if isUnanswered, let last { return (texts("publications.banner.\(last.state.rawValue)"), "warn") }
    guard let newest = history.newestAttempt else { return (texts("publications.banner.none"), "plain") }
    let (text, tone) = Self.result(newest, texts)
    // A revocation is a publication, too, but no attempt.
    guard let visible = history.first(where: { $0.run.state == .published })?.run, visible.serial > newest.run.serial
    else { return (text, tone) }
    return ("\(text) \(texts("publications.banner.revoked", ["serial": "\(visible.serial)"]))", tone)
  }

  private static func result(_ newest: PublicationHistory, _ texts: Localizer) -> (text: String, tone: String) {
    let failed = newest.gates.count { !$0.passed && $0.overruledBy == nil }
    let values = [
      "serial": "\(newest.run.serial)", "failed": texts.number(failed), "all": texts.number(newest.gates.count),
    ]
    switch newest.run.state {
    case .refused: return (texts.count("publications.banner.refused", newest.gates.count, values), "alarm")
    case .failed: return (texts("publications.banner.stopped", values), "alarm")
    case .running, .published:
      let overruled = newest.gates.count { $0.overruledBy != nil }
      guard !newest.gates.isEmpty else { return (texts("publications.banner.unchecked", values), "") }
      guard overruled > 0 else { return (texts.count("publications.banner.published", newest.gates.count, values), "") }
      return (
        texts(
          "publications.banner.overruled", values.merging(["overruled": texts.number(overruled)]) { own, _ in own }),
        "warn"
      )
    }
  }
}

extension Gate {
  /// A gate that refused the newest attempt and may be overruled.
  fileprivate func record(isChosen: Bool, _ texts: Localizer) -> TemplateRecord {
    ["gate": rawValue, "name": texts("publications.gate-\(rawValue)"), "isChosen": isChosen]
  }
}

extension [PublicationHistory] {
  /// The newest attempt, without revocations that were carried out.
  fileprivate var newestAttempt: PublicationHistory? {
    first { !$0.run.isRevocation } ?? first
  }
}

extension PublicationHistory {
  fileprivate func record(isKept: Bool, _ texts: Localizer) -> TemplateRecord {
    let deltas = packs.compactMap(\.deltaBytes)
    let (failure, detail) = run.failure.map { texts.parts("publications.failure", $0) } ?? ("", "")
    return [
      "serial": run.serial, "state": texts("publications.state.\(run.state.rawValue)"),
      "alarm": run.state == .refused || run.state == .failed ? "listed" : "",
      "cause": texts("publications.by.\(run.cause.rawValue)"),
      "time": PageTime(run.publishedAt ?? run.startedAt ?? run.asOf, texts), "asOf": PageTime(run.asOf, texts),
      "entries": packs.isEmpty ? "–" : texts.number(packs.reduce(0) { $0 + $1.entries }),
      "size": packs.isEmpty ? "–" : texts.bytes(packs.reduce(0) { $0 + $1.bytes }),
      "delta": deltas.isEmpty ? "–" : texts.bytes(deltas.reduce(0, +)), "isRunning": run.state == .running,
      "percent": run.percent, "part": texts.percent(Double(run.percent) / 100),
      "step": run.step.map { texts.message("jobs.step", $0) } ?? "", "failure": failure, "detail": detail,
      // Whether gates have checked it.
      "isJudged": !gates.isEmpty, "gatesPassed": gates.count(where: \.passed),
      "gates": gates.filter { !$0.passed || $0.hasRulesWithoutRoom }.map { $0.record(texts) },
      "packs": packs.map { $0.record(texts) },
      // Whether its numbers can be compared with another publication.
      "isKept": isKept,
    ]
  }
}

extension GateRecord {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    let (text, detail) = texts.parts("publications.finding", finding)
    let overruled = overruledBy.map {
      texts("publications.overruled", ["name": $0, "reason": overruledWhy ?? ""])
    }
    return [
      "gate": gate, "name": texts.find("publications.gate-\(gate)") ?? gate,
      "pack": pack.isEmpty ? texts("publications.whole") : pack, "finding": text, "detail": detail,
      "overruled": overruled ?? "",
    ]
  }
}

extension PublishedPack {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "name": name, "kind": texts.find("recipes.kind-\(kind)") ?? kind, "entries": texts.number(entries),
      "size": texts.bytes(bytes), "delta": deltaBytes.map(texts.bytes) ?? "–", "since": packSerial,
    ]
  }
}

/// Orders of administrators to publish now, and to overrule gates.
struct PublicationOrderPages: Sendable {
  let jobs: PublicationOrders?
  let pages: PublicationPages

  static let address = "/moderation/publications"

  @Sendable func order(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let jobs else { throw Problem.notFound }
    let gates = Set(context.form.all("gate").compactMap(Gate.init(rawValue:)).filter(\.canBeOverruled)).sorted()
    let reason = context.form.text("reason")
    func refuse(_ problem: String, _ status: HTTPResponse.Status) async throws -> Response {
      let draft = OrderDraft(gates: gates, reason: String((reason ?? "").prefix(4_000)), problem: problem)
      return try await pages.show(context, draft: draft, status: status)
    }
    guard gates.isEmpty || reason != nil else { return try await refuse("reason-needed", .unprocessableContent) }
    guard (reason ?? "").unicodeScalars.count <= TextLimit.overruling else {
      return try await refuse("reason-long", .unprocessableContent)
    }
    let isTaken = try await jobs.order(
      by: moderator.name, overruling: gates, because: reason,
      audit: Actor(moderator).did(
        gates.isEmpty ? .publicationOrder : .publicationOverrule, to: "publication",
        after: gates.isEmpty ? nil : ["gates": gates.map(\.rawValue).joined(separator: " ")], because: reason))
    guard isTaken else { return try await refuse("busy", .conflict) }
    return .redirect(to: Self.address, type: .normal)
  }

  /// Sets the daily time; an empty one uses the setting again.
  @Sendable func schedule(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (daily, former, current) = (context.form.text("time"), context.form.text("former"), pages.schedule)
    guard daily.map({ PublicationSchedule(time: $0, zone: current.zone) != nil }) ?? true else {
      return try await pages.show(context, daily: (daily ?? "", former, "wrong"), status: .unprocessableContent)
    }
    guard
      try await pages.store.setDailyTime(
        daily, insteadOf: former, zone: current.zone, by: try context.worker, at: Date())
    else { return try await pages.show(context, daily: (daily ?? "", nil, "changed"), status: .conflict) }
    try await current.refresh(pages.store)
    return .redirect(to: "\(Self.address)?done=schedule", type: .normal)
  }
}
