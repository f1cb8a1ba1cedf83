// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Foundation
import Hummingbird
import Publishing
import Storage

/// Pages of past and running publications and of the gates that refused one.
struct PublicationPages: Sendable {
  let store: PublicationStore
  let jobs: PublicationJobs?
  /// Compares the publications that are still on disk.
  let diff: PublicationDiff
  let pages: PageRenderer

  /// Rows of the list.
  static let rows = 50

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let history = try await store.history(limit: Self.rows)
    let texts = pages.texts(context)
    let kept = Set(diff.publications().map(\.serial))
    let order = request.query("order")
    let last = try await jobs?.last()
    let isTaken = last == nil ? false : try await store.isTaken()
    // Only gates of the newest attempt can be overruled.
    let closed = history.first.map { $0.run.state == .refused ? $0.gates.filter { !$0.passed } : [] } ?? []
    let gates = closed.compactMap { Gate(rawValue: $0.gate) }
    return try pages.page(
      "publications",
      PublicationsPage(
        rows: history.map { PublicationRow($0, isKept: kept.contains($0.run.serial), texts) },
        isRunning: history.contains { $0.run.state == .running } || last?.state == .running,
        canOrder: jobs != nil, last: last.map { [OrderRow($0, isTaken: isTaken, texts)] } ?? [],
        order: texts.find("publications.order-\(order)") ?? "", isTaken: order == "taken",
        gates: gates.allSatisfy(\.canBeOverruled)
          ? Set(gates).sorted().map { PublicationsPage.ClosedGate($0, texts) } : []),
      context)
  }
}

/// Values of the template `publications`.
struct PublicationsPage: Encodable {
  /// A gate that refused the newest attempt and may be overruled.
  struct ClosedGate: Encodable {
    let gate: String
    let name: String

    init(_ gate: Gate, _ texts: Localizer) {
      self.gate = gate.rawValue
      name = texts("publications.gate-\(gate.rawValue)")
    }
  }

  let rows: [PublicationRow]
  let isRunning: Bool
  /// Whether an administrator can order a publication on this server.
  let canOrder: Bool
  /// The last order, at most one element; empty if there was none recently.
  let last: [OrderRow]
  /// The result of the order that was just sent.
  let order: String
  let isTaken: Bool
  let gates: [ClosedGate]
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
