// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import Moderation
import PhoneNumbers
import Storage

/// Bulk decisions: chosen, previewed, confirmed, and undone as one.
struct BulkPages: Sendable {
  let bulks: BulkStore
  let service: BulkService
  let queue: QueueStore
  let templates: TemplateStore
  let queueCounts: QueueCountCache
  let pages: PageRenderer

  /// How long a response waits for a bulk, before its page shows the progress.
  private static let patience = Duration.seconds(1)

  /// The most bytes of a preview's address: nginx refuses an answer whose headers exceed 4 KB, and the redirect has others.
  private static let longestAddress = 3_000

  /// The fields that an address leaves out. A person confirms that the owners were checked, and no link does.
  private static let unaddressed: Set = ["csrf", "draft", "fingerprint", "confirm"]

  /// `POST /moderation/bulk/preview`: shows the effect on the ticked numbers, or on all numbers of the filter.
  ///
  /// Redirects to an address with the fields, so that the browser's history keeps the selection. A selection that is too
  /// long for an address is shown at once.
  @Sendable func preview(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let response = try await preview(context)
    let address = "/moderation/bulk/preview?\(context.form.encoded(without: Self.unaddressed))"
    guard response.status == .ok, address.utf8.count <= Self.longestAddress else { return response }
    return .redirect(to: address, type: .normal)
  }

  /// `GET /moderation/bulk/preview`: the preview of the fields in the address.
  @Sendable func previewAgain(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let form = Form(encoded: request.uri.query ?? "") else { throw Problem.noForm }
    var context = context
    context.form = form.without(Self.unaddressed)
    return try await preview(context)
  }

  private func preview(_ context: ServerRequestContext) async throws -> Response {
    let form = context.form
    var numbers = BulkForm(form).numbers
    if form["all"] != nil {
      let address = QueueAddress(form)
      let worker = try context.worker
      let rows = try await queue.page(
        address.filter, by: address.order, level: worker.level, account: worker.name, limit: Bulk.most, at: Date())
      numbers = rows.map(\.item.number).sorted()
    }
    return try await preview(numbers, context)
  }

  /// `POST /moderation/bulk`: applies the decision if its effect is still the one previewed.
  @Sendable func confirm(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let form = BulkForm(context.form)
    let (worker, now) = (try context.worker, Date())
    do {
      let bulk = try form.bulk(by: worker, at: now)
      // The form was sent again because its response was lost: the stored bulk decision continues where it stopped.
      if let id = form.id, let run = try await bulks.find(id) {
        guard run.says(bulk) else { return try await preview(form.numbers, context, isStale: true) }
        if !run.isRunning { _ = try await start(context) { try await service.finish(id, by: worker, at: now) } }
        return redirect(to: id, context)
      }
      let items = try await items(form.numbers)
      guard !items.isEmpty else { return try await preview([], context) }
      try check(bulk, items)
      let guarded = Set(bulk.guarded(items))
      guard form.fingerprint == BulkForm.fingerprint(bulk, items, guarded: guarded) else {
        return try await preview(form.numbers, context, isStale: form.fingerprint != nil)
      }
      guard form.isConfirmed || guarded.isEmpty else {
        throw RuleViolation(.blockNeedsConfirmation, field: "confirm")
      }
      let left = try await start(context) { try await service.apply(bulk, to: items) }
      return left?.count == items.count
        ? try await preview(form.numbers, context, isStale: true) : redirect(to: bulk.id, context)
    } catch let problem as RuleViolation {
      return try await preview(form.numbers, context, problem: problem)
    }
  }

  /// `GET /moderation/bulk/{id}`: shows the result.
  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let run = try await bulks.progress(try id(context)) else { throw Problem.notFound }
    let values = run.record(QueueAddress(request), worker: try context.worker, pages.texts(context))
    return try pages.page("bulk-done", values, context)
  }

  /// `POST /moderation/bulk/{id}/finish`: continues an interrupted bulk decision.
  @Sendable func finish(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (id, worker) = (try id(context), try context.worker)
    guard let run = try await bulks.progress(id) else { throw Problem.notFound }
    guard worker.canFinishBulks(of: run.account) else { throw Problem.needs(.administrator) }
    _ = try await start(context) { try await service.finish(id, by: worker, at: Date()) }
    return redirect(to: id, context)
  }

  /// `POST /moderation/bulk/{id}/undo`
  @Sendable func undo(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let id = try id(context)
    guard try await bulks.progress(id) != nil else { throw Problem.notFound }
    let worker = try context.worker
    _ = try await start(context) { try await service.undo(id, by: worker, at: Date()) }
    return redirect(to: id, context)
  }

  /// Starts work on a bulk that may last longer than a browser waits. Where the server stops, the bulk is interrupted and
  /// can be finished, or undone again.
  /// - Returns: nil where the work goes on; the page of the bulk shows its progress.
  private func start<Value: Sendable>(
    _ context: ServerRequestContext, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    let (answers, answer) = AsyncStream<Result<Value, any Error>?>.makeStream()
    Task { [queueCounts, logger = context.logger] in
      do {
        answer.yield(.success(try await work()))
      } catch {
        if !(error is RuleViolation) { logger.error("Bulk decision interrupted", metadata: ["error": "\(error)"]) }
        answer.yield(.failure(error))
      }
      await queueCounts.forget()
    }
    Task {
      try? await Task.sleep(for: Self.patience)
      answer.yield(nil)
    }
    for await first in answers {
      await queueCounts.forget()
      return try first?.get()
    }
    return nil
  }

  private func preview(
    _ numbers: [Int64], _ context: ServerRequestContext, isStale: Bool = false, problem: RuleViolation? = nil
  ) async throws -> Response {
    let items = try await items(numbers)
    // An empty form has no errors yet.
    let isAsked = context.form["decision"] != nil
    var (problem, fingerprint) = (problem, "")
    var (guarded, reviewed): (Set<Int64>, Int) = ([], 0)
    do {
      let bulk = try BulkForm(context.form).bulk(by: try context.worker, at: Date())
      try check(bulk, items)
      (guarded, reviewed) = (Set(bulk.guarded(items)), try await service.reviewed(bulk, items))
      fingerprint = BulkForm.fingerprint(bulk, items, guarded: guarded)
    } catch let found as RuleViolation {
      if isAsked { problem = problem ?? found }
    }
    let preview = BulkPreview(
      items: items, templates: try await templates.version(), guarded: guarded, reviewed: reviewed,
      areReviewsOn: try await service.areReviewsOn(), asked: numbers.count, worker: try context.worker,
      form: context.form, fingerprint: fingerprint, address: QueueAddress(context.form), isStale: isStale,
      problem: problem)
    let status: HTTPResponse.Status = isStale ? .conflict : problem != nil ? .unprocessableContent : .ok
    return try pages.page("bulk", preview.record(pages.texts(context)), context, status: status)
  }

  /// Pages ask once before they block numbers without reports.
  private func items(_ numbers: [Int64]) async throws -> [BulkItem] {
    try await bulks.items(numbers).map { item in
      var item = item
      item.blockRule.isUnreported = !item.isReported
      return item
    }
  }

  /// - Throws: `RuleViolation`; also where the ready-made reason cannot be true of each number.
  private func check(_ bulk: Bulk, _ items: [BulkItem]) throws {
    try bulk.check(items)
    guard let reason = bulk.reason else { return }
    guard items.allSatisfy({ !$0.isOpen(to: bulk) || $0.reasonFacts.allow(reason) }) else {
      throw RuleViolation(.reasonUntrue, field: "reason_untrue")
    }
  }

  private func id(_ context: ServerRequestContext) throws -> UUID {
    guard let id = context.parameters.get("id").flatMap({ UUID(uuidString: $0) }) else { throw Problem.notFound }
    return id
  }

  private func redirect(to id: UUID, _ context: ServerRequestContext) -> Response {
    .redirect(
      to: QueueAddress(context.form).address("/moderation/bulk/\(id.text)"), type: .normal)
  }
}

extension BulkRun {
  /// Whether the stored bulk decision equals a form's.
  fileprivate func says(_ bulk: Bulk) -> Bool {
    account == bulk.worker.name && treatment == bulk.treatment && reason == bulk.reason && label == bulk.label
      && category == bulk.category
      && Decision.lifetime(from: decidedAt, to: expiresAt)
        == Decision.lifetime(from: bulk.decidedAt, to: bulk.expiresAt)
  }
}

struct BulkForm {
  let numbers: [Int64]
  let treatment: Decision.Treatment?
  let label: String?
  let category: ReportCategory?
  let reason: Result<String?, RuleViolation>
  let id: UUID?
  let fingerprint: String?
  /// Whether the owners of guarded numbers were checked; see `BlockRule`.
  let isConfirmed: Bool
  private let form: Form

  init(_ form: Form) {
    numbers = Set(form.all("number").compactMap { Int64($0).flatMap { PhoneNumber(digits: $0)?.digits } }).sorted()
    treatment = form["decision"].flatMap { Decision.Treatment(rawValue: $0) }
    label = treatment == .allow ? nil : form.text("label")
    category = treatment == .allow ? nil : form.text("category").flatMap { ReportCategory(slug: $0) }
    reason = Result { () throws(RuleViolation) in try ReasonField.read(form) }
    id = form["id"].flatMap { UUID(uuidString: $0) }
    fingerprint = form["fingerprint"]
    isConfirmed = form["confirm"] != nil
    self.form = form
  }

  /// The bulk decision of the form, without the numbers.
  /// - Throws: `RuleViolation` for the first missing or wrong field.
  func bulk(by worker: Actor, at time: Date) throws -> Bulk {
    guard let treatment else {
      throw RuleViolation(.decisionNotOffered, field: "decision")
    }
    let bulk = Bulk(
      id: id ?? UUID(), treatment: treatment, label: label, category: category, reason: try reason.get(),
      worker: worker, decidedAt: time, expiresAt: try ExpiryField.read(form, at: time),
      replacesDecisions: form["replace"] != nil)
    // The rules of single decisions apply.
    _ = try bulk.decision(of: 1)
    return bulk
  }

  /// A hash of a preview: the decision, the numbers, and each number's current decision and protection.
  /// - Parameter guarded: the numbers that are blocked only with a confirmation.
  static func fingerprint(_ bulk: Bulk, _ items: [BulkItem], guarded: Set<Int64>) -> String {
    let lifetime = Decision.lifetime(from: bulk.decidedAt, to: bulk.expiresAt)
    var text = [
      bulk.treatment.rawValue, bulk.label ?? "", bulk.category?.slug ?? "", bulk.reason ?? "", "\(lifetime ?? 0)",
      bulk.replacesDecisions ? "replaces" : "",
    ]
    text += items.map { item in
      let isWithheld = item.isWithheld(from: bulk.worker, at: bulk.decidedAt)
      return
        "\(item.number) \(item.standing?.decisionID.uuidString ?? "-") \(item.protection == nil ? "" : "protected")"
        + (isWithheld ? " withheld" : "") + (item.isAppealed ? " appealed" : "")
        + (guarded.contains(item.number) ? " guarded" : "")
    }
    let digest = SHA256.hash(data: Data(text.joined(separator: "\n").utf8))
    return Hexadecimal.text(digest.prefix(16))
  }
}
