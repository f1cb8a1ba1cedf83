// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import Publishing
import Storage

/// Pages of past and running publications and of the gates that refused one.
struct PublicationPages: Sendable {
  let store: PublicationStore
  let jobs: PublicationOrders?
  /// Compares the publications that are still on disk.
  let diff: PublicationDiff
  let pages: PageRenderer

  /// Rows of the list.
  static let rows = 50

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(context)
  }

  /// - Parameter draft: the form that was refused; nil for an empty form.
  func show(
    _ context: ServerRequestContext, draft: OrderDraft? = nil, status: HTTPResponse.Status = .ok
  ) async throws -> Response {
    let history = try await store.history(limit: Self.rows)
    let texts = pages.texts(context)
    let kept = Set(diff.publications().map(\.serial))
    let last = try await jobs?.last()
    let isTaken = last == nil ? false : try await store.isTaken()
    // Only gates of the newest attempt can be overruled.
    let closed = history.first.map { $0.run.state == .refused ? $0.gates.filter { !$0.passed } : [] } ?? []
    let gates = closed.compactMap { Gate(rawValue: $0.gate) }
    return try pages.page(
      "publications",
      PublicationsPage(
        rows: history.map { PublicationRow($0, isKept: kept.contains($0.run.serial), texts) },
        banner: PublicationBanner(history, last: last, isTaken: isTaken, texts), canOrder: jobs != nil,
        gates: gates.allSatisfy(\.canBeOverruled)
          ? Set(gates).sorted().map { gate in
            PublicationsPage.ClosedGate(gate, isChosen: draft?.gates.contains(gate) ?? false, texts)
          } : [], reason: draft?.reason ?? "", problem: draft.map { texts("publications.order-\($0.problem)") } ?? "",
        isReasonWrong: draft?.isReasonWrong ?? false),
      context, status: status)
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
struct PublicationBanner: Encodable {
  let text: String
  /// A class of the style sheet: `plain`, `warn` or `alarm`; empty for good news.
  let tone: String
  /// The account that has ordered it, in a sentence; empty for none.
  let order: String
  /// The time of the order or the attempt.
  let time: [PageTime]
  let isRunning: Bool
  /// The running publication.
  let serial: String
  let percent: Int
  let part: String
  let step: String
  /// Whether the same order may be sent again now.
  let canRepeat: Bool
  /// Whether the same order may be sent again after the running publication ends.
  let mustWait: Bool

  /// - Parameters:
  /// - history: the newest first.
  /// - last: the last order; nil if there was none recently.
  /// - isTaken: whether a publication is running.
  init(_ history: [PublicationHistory], last: PublicationOrders.Order?, isTaken: Bool, _ texts: Localizer) {
    let newest = history.first
    let run = newest?.run
    let running = history.first { $0.run.state == .running }?.run
    isRunning = running != nil || last?.state == .running
    serial = running.map { "\($0.serial)" } ?? ""
    percent = running?.percent ?? 0
    part = texts.percent(Double(percent) / 100)
    step = running?.step.map { texts.message("jobs.step", $0) } ?? ""
    let began = run.map { $0.startedAt ?? $0.asOf }
    let isNewer = last.map { order in began.map { $0 >= order.askedAt } ?? false } ?? false
    let isOfOrder = isNewer && run?.cause == .command
    let isUnanswered = last.map { [.failed, .broken, .busy].contains($0.state) && !isNewer } ?? false
    let state: (text: String, tone: String)
    if isRunning {
      let key = running == nil ? "publications.banner.ordered" : "publications.banner.running"
      state = (texts(key, ["serial": serial]), "plain")
    } else if isUnanswered, let last {
      state = (texts("publications.banner.\(last.state.rawValue)"), "warn")
    } else if let newest {
      state = Self.result(newest, texts)
    } else {
      state = (texts("publications.banner.none"), "plain")
    }
    (text, tone) = state
    let isOrdered = last.map { isUnanswered || isOfOrder || $0.state == .running } ?? false
    order = isOrdered ? last.map { texts("publications.banner.by", ["name": $0.account]) } ?? "" : ""
    time =
      (isUnanswered ? last?.askedAt : run.map { $0.publishedAt ?? $0.startedAt ?? $0.asOf }).map {
        [PageTime($0, texts)]
      } ?? []
    // An order that overrules gates is not repeated: it needs a new reason for the new publication.
    let isOver = last.map { isUnanswered && $0.gates.isEmpty } ?? false
    canRepeat = isOver && !isTaken
    mustWait = isOver && isTaken
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

/// Values of the template `publications`.
struct PublicationsPage: Encodable {
  /// A gate that refused the newest attempt and may be overruled.
  struct ClosedGate: Encodable {
    let gate: String
    let name: String
    let isChosen: Bool

    init(_ gate: Gate, isChosen: Bool, _ texts: Localizer) {
      self.gate = gate.rawValue
      self.isChosen = isChosen
      name = texts("publications.gate-\(gate.rawValue)")
    }
  }

  let rows: [PublicationRow]
  let banner: PublicationBanner
  /// Whether an administrator can order a publication on this server.
  let canOrder: Bool
  let gates: [ClosedGate]
  /// The typed reason.
  let reason: String
  /// The error of the form of an order; empty for none.
  let problem: String
  let isReasonWrong: Bool
}

/// A row of the list.
struct PublicationRow: Encodable {
  /// A gate with a finding.
  struct Gate: Encodable {
    let gate: String
    /// The gate's display name; its code if it has none.
    let name: String
    let pack: String
    let finding: String
    /// The message of another program that belongs to the finding.
    let detail: String
    let overruled: String
  }

  struct Pack: Encodable {
    let name: String
    let kind: String
    let entries: String
    let size: String
    let delta: String
    let since: Int64
  }

  let serial: Int64
  let state: String
  let alarm: String
  let cause: String
  let time: PageTime
  let asOf: PageTime
  let entries: String
  let size: String
  let delta: String
  let isRunning: Bool
  let percent: Int
  let part: String
  let step: String
  let failure: String
  /// The message of another program that belongs to the failure.
  let detail: String
  /// Whether gates have checked it.
  let isJudged: Bool
  let gatesPassed: Int
  let gates: [Gate]
  let packs: [Pack]
  /// Whether its numbers can be compared with another publication's.
  let isKept: Bool

  init(_ history: PublicationHistory, isKept: Bool, _ texts: Localizer) {
    self.isKept = isKept
    let run = history.run
    serial = run.serial
    state = texts("publications.state.\(run.state.rawValue)")
    alarm = run.state == .refused || run.state == .failed ? "listed" : ""
    cause =
      switch run.cause {
      case .schedule: texts("publications.by.schedule")
      case .command: texts("publications.by.command")
      case .revocation: texts("publications.by.revocation")
      }
    time = PageTime(run.publishedAt ?? run.startedAt ?? run.asOf, texts)
    asOf = PageTime(run.asOf, texts)
    let isEmpty = history.packs.isEmpty
    entries = isEmpty ? "–" : texts.number(history.packs.reduce(0) { $0 + $1.entries })
    size = isEmpty ? "–" : texts.bytes(history.packs.reduce(0) { $0 + $1.bytes })
    let deltas = history.packs.compactMap(\.deltaBytes)
    delta = deltas.isEmpty ? "–" : texts.bytes(deltas.reduce(0, +))
    isRunning = run.state == .running
    percent = run.percent
    part = texts.percent(Double(run.percent) / 100)
    step = run.step.map { texts.message("jobs.step", $0) } ?? ""
    (failure, detail) = run.failure.map { texts.parts("publications.failure", $0) } ?? ("", "")
    isJudged = !history.gates.isEmpty
    gatesPassed = history.gates.count(where: \.passed)
    gates = history.gates.filter { !$0.passed }.map { record in
      let (finding, detail) = texts.parts("publications.finding", record.finding)
      return Gate(
        gate: record.gate, name: texts.find("publications.gate-\(record.gate)") ?? record.gate,
        pack: record.pack.isEmpty ? texts("publications.whole") : record.pack, finding: finding, detail: detail,
        overruled: record.overruledBy.map {
          texts("publications.overruled", ["name": $0, "reason": record.overruledWhy ?? ""])
        } ?? "")
    }
    packs = history.packs.map { pack in
      Pack(
        name: pack.name, kind: pack.kind, entries: texts.number(pack.entries), size: texts.bytes(pack.bytes),
        delta: pack.deltaBytes.map(texts.bytes) ?? "–", since: pack.packSerial)
    }
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
    guard (reason ?? "").unicodeScalars.count <= 1_000 else {
      return try await refuse("reason-long", .unprocessableContent)
    }
    let isTaken = try await jobs.order(
      by: moderator.name, overruling: gates, because: reason,
      audit: AuditEvent(
        actor: moderator.name, role: moderator.role,
        action: gates.isEmpty ? "publication.order" : "publication.overrule", subject: "publication",
        after: gates.isEmpty ? nil : ["gates": gates.map(\.rawValue).joined(separator: " ")], reason: reason))
    guard isTaken else { return try await refuse("busy", .conflict) }
    return .redirect(to: Self.address, type: .normal)
  }
}
