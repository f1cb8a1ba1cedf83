// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Moderation
import PhoneNumbers
import Storage

/// Moderators' decisions about a case, and their undo.
struct DecisionPages: Sendable {
  let cases: CasePages
  let queuePages: QueuePages
  let decisions: DecisionStore
  let service: DecisionService
  let answers: AppealAnswer
  let protection: ProtectionStore
  let queue: QueueStore
  let claims: ClaimService
  let ranges: RangeService
  let queueCounts: QueueCountCache

  /// `POST /moderation/numbers/{number}/decision`
  @Sendable func decide(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, worker, form) = (try context.number, try context.worker, context.form)
    // A button that fills in a common answer: nothing is decided.
    if form["fill"] != nil { return try await cases.answer(context) }
    guard let choice = form["decision"].flatMap({ DecisionForm.Choice(rawValue: $0) }) else {
      return try await cases.answer(
        context, problem: RuleViolation(.decisionNotOffered, field: "decision"))
    }
    guard worker.role >= choice.role else { throw Problem.needs(choice.role) }
    let now = try await cases.cases.brief(number.digits, at: Date())
    if let item = now.item {
      switch CaseAccess(level: item.level, claim: item.claim, for: worker, at: Date()) {
      case .open: break
      case .needs(let role): throw Problem.needs(role)
      case .claimed: return try await cases.answer(context, changes: [.claim])
      }
    }
    if let range = now.rangeToDecide {
      guard choice == .unsure || choice == .escalate else {
        // The page showed another range: it was decided meanwhile.
        guard form["range"] == range.range.text else { return try await cases.answer(context, changes: [.decision]) }
        return try await decide(range, choice, worker, context)
      }
    } else if choice == .approve || choice == .rejectRange {
      return try await cases.answer(context, changes: [.decision])
    }
    if let answer = choice.answer {
      return try await self.answer(answer, now.explanation, worker, context)
    }
    if choice == .protect { return try await protect(now.explanation, worker, context) }
    guard let treatment = choice.treatment else { return try await pass(choice, number, worker, context) }
    do {
      let (time, reason, facts) = (Date(), try ReasonField.read(form), ReasonFacts(now.explanation))
      let category = form.text("category").flatMap { ReportCategory(slug: $0) }
      guard category != nil || form.text("category") == nil else {
        throw RuleViolation(.categoryUnknown, field: "category")
      }
      let decision = try Decision(
        id: form.id, number: number.digits, treatment: treatment,
        label: treatment == .allow ? nil : form.text("label"),
        category: treatment == .allow ? nil : category,
        reason: reason, note: form.text("note"), decidedBy: worker.name, decidedAt: time,
        expiresAt: try ExpiryField.read(form, at: time))
      // A form that is sent again because its response was lost finds its own decision.
      let isAgain = now.decisions.contains { $0.id == decision.id }
      let changes = isAgain ? [] : Self.changes(form, to: CaseVersion(now.explanation))
      guard changes.isEmpty else { return try await cases.answer(context, changes: changes) }
      if !isAgain {
        guard reason.map(facts.allow) ?? true else { throw RuleViolation(.reasonUntrue, field: "reason_untrue") }
        var rule = now.blockRule
        rule.isUnreported = !facts.hasReports
        if treatment == .block { try rule.check(isConfirmed: form["confirm"] != nil) }
      }
      let expected = form["version"].flatMap { CaseVersion($0) }.map { ExpectedDecision.this($0.decision) } ?? .any
      let outcome = try await service.record(decision, expecting: expected, role: worker.role)
      // The id belongs to a different decision; this one was not stored.
      guard outcome != .conflict else { return try await cases.answer(context, changes: [.decision]) }
      if let item = now.item { await queueCounts.remove(item) }
      return try await go(on: context, did: LastAction(decision: decision.id, of: number.digits))
    } catch let problem as RuleViolation {
      return try await cases.answer(context, problem: problem)
    } catch DecisionError.stale {
      return try await cases.answer(context, changes: [.decision])
    } catch DecisionError.protected {
      return try await cases.answer(context, problem: RuleViolation(.numberProtected, field: "protected"))
    }
  }

  /// `POST /moderation/numbers/{number}/undo`
  @Sendable func undo(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, worker, form) = (try context.number, try context.worker, context.form)
    if let rejection = form["rejection"] {
      guard worker.role >= .moderator else { throw Problem.needs(.moderator) }
      let isUndone = try await answers.undo(rejection, about: number, by: worker)
      return show(isUndone ? "reopen" : "too-late", number, form)
    }
    if let id = form["passing"].flatMap({ UUID(uuidString: $0) }) {
      let isBack = try await claims.takeBack(id, of: number.digits, by: worker, at: Date())
      await queueCounts.forget()
      return show(isBack ? "returned" : "not-undone", number, form)
    }
    guard let id = form["decision"].flatMap({ UUID(uuidString: $0) }),
      let event = try await decisions.history(of: number.digits).first(where: { $0.id == id })
    else { throw Problem.notFound }
    guard DecisionRights.canUndo(event, worker) else { throw Problem.needs(.moderator) }
    _ = try await service.undo(id, of: number.digits, decidedBy: worker.name, role: worker.role, at: Date())
    await queueCounts.forget()
    // Redirects to the number, because a new decision usually follows an undo.
    let did = LastAction(decision: id, of: number.digits)
    return .redirect(to: CaseAddress(form).address(of: number.digits, [("did", did.text)]), type: .normal)
  }

  /// Leads to the number's page, which says what was done.
  private func show(_ done: String, _ number: PhoneNumber, _ form: Form) -> Response {
    .redirect(to: CaseAddress(form).address(of: number.digits, [("did", "\(done).\(number.digits)")]), type: .normal)
  }

  /// Answers the open appeals about a number.
  private func answer(
    _ state: Appeal.State, _ explanation: Explanation, _ worker: Actor, _ context: ServerRequestContext
  ) async throws -> Response {
    let (number, form) = (try context.number, context.form)
    let id = form.id
    let rejection: String
    do {
      switch try await answers.store(state, id: id, about: number, explanation, form, by: worker) {
      case .answered(let time): rejection = RejectionUndo.value(time)
      case .changed(let changes): return try await cases.answer(context, changes: changes)
      }
    } catch let problem as RuleViolation {
      return try await cases.answer(context, problem: problem)
    }
    // A rejected appeal leaves the case open where it has another cause.
    return state == .upheld
      ? try await go(on: context, did: LastAction(decision: id, of: number.digits))
      : try await go(on: context, did: LastAction(rejection: rejection, of: number.digits), leaving: true)
  }

  /// Approves or rejects the range that the case asks about.
  private func decide(
    _ range: RangeRule, _ choice: DecisionForm.Choice, _ worker: Actor, _ context: ServerRequestContext
  ) async throws -> Response {
    do {
      guard choice == .approve || choice == .rejectRange else { throw RuleViolation(.rangeOpen, field: "range") }
      guard let reason = try ReasonField.read(context.form) else {
        throw RuleViolation(.reasonMissing, field: "reason")
      }
      let note = try Self.note(context.form)
      try await ranges.decide([range], isApproved: choice == .approve, by: worker, reason: reason, at: Date())
      try await store(note, of: context.form, about: range.range.first, worker)
    } catch let problem as RuleViolation where problem.code == .rangeChanged {
      return try await cases.answer(context, changes: [.decision])
    } catch let problem as RuleViolation {
      return try await cases.answer(context, problem: problem)
    }
    await queueCounts.forget()
    return try await go(on: context, did: LastAction(choice, number: range.range.first), leaving: true)
  }

  /// A listed number is revoked; its case is evaluated again.
  private func protect(
    _ explanation: Explanation, _ worker: Actor, _ context: ServerRequestContext
  ) async throws -> Response {
    let (number, form) = (try context.number, context.form)
    let changes = Self.changes(form, to: CaseVersion(explanation))
    guard changes.isEmpty else { return try await cases.answer(context, changes: changes) }
    do {
      guard !AllowRule(explanation).isAppealed else { throw RuleViolation(.decisionNotOffered, field: "decision") }
      guard let typed = try ReasonField.read(form) else { throw RuleViolation(.reasonMissing, field: "reason") }
      // The list of protected numbers has the moderator's own words.
      let reason = cases.pages.texts(context).reason(typed)
      let note = try Self.note(form)
      _ = try await protection.set(.number(number.digits), reason: reason, by: worker, at: Date())
      try await store(note, of: form, about: number.digits, worker)
    } catch let problem as RuleViolation {
      return try await cases.answer(context, problem: problem)
    } catch is ProtectionError {
      return try await cases.answer(context, problem: RuleViolation(.decisionNotOffered, field: "protected_full"))
    }
    try await queue.recheck([number.digits])
    await queueCounts.forget()
    return try await go(on: context, did: LastAction(.protect, number: number.digits), leaving: true)
  }

  /// The note of a form, which is checked before anything is stored.
  private static func note(_ form: Form) throws(RuleViolation) -> String? {
    guard let note = form.text("note") else { return nil }
    return try RuleViolation.text(note, "note", atMost: TextLimit.note)
  }

  private func store(_ note: String?, of form: Form, about number: Int64, _ worker: Actor) async throws {
    guard let note else { return }
    try await cases.cases.note(note, about: number, id: form.id, by: worker, at: Date())
  }

  private func pass(
    _ choice: DecisionForm.Choice, _ number: PhoneNumber, _ worker: Actor, _ context: ServerRequestContext
  ) async throws -> Response {
    let form = context.form
    let colleague = choice == .escalate ? form.text("escalate_to") : nil
    let reason: String?
    // The input travels along, for the accounts that open the case next.
    var input: [String: String] = [:]
    do {
      reason = try ReasonField.read(form)
      if choice == .escalate, worker.role == .administrator, colleague == nil {
        throw RuleViolation(.decisionNotOffered, field: "escalate_to")
      }
      input["note"] = try Self.note(form)
      // A colleague must learn why the case is theirs.
      if colleague != nil, input["note"] == nil {
        throw RuleViolation(.length, field: "note", most: TextLimit.note)
      }
      if let label = form.text("label") {
        input["label"] = try RuleViolation.text(label, "label", atMost: TextLimit.label)
      }
      if let answer = form.text("words") {
        input["answer"] = try RuleViolation.text(answer, "answer", atMost: Appeal.maxAnswer)
      }
      try await store(input["note"], of: form, about: number.digits, worker)
    } catch let problem as RuleViolation {
      return try await cases.answer(context, problem: problem)
    }
    let (event, time) = (UUID.inOrder(), Date())
    let isDone =
      choice == .unsure
      ? try await claims.pass(number.digits, by: worker, id: event, reason: reason, input: input, at: time)
      : try await claims.escalate(
        number.digits, by: worker, to: colleague, id: event, reason: reason, input: input, at: time)
    guard isDone else { return try await cases.answer(context, changes: [.verdict]) }
    await queueCounts.forget()
    return try await go(on: context, did: LastAction(choice, number: number.digits, event), leaving: true)
  }

  /// The changes since the form's page was shown. A form without a version counts as a changed decision.
  private static func changes(_ form: Form, to version: CaseVersion) -> [CaseVersion.Change] {
    guard let seen = form["version"].flatMap({ CaseVersion($0) }) else { return [.decision] }
    return seen.changes(to: version)
  }

  /// - Parameter leaving: whether the case stays in the queue and its claim is to be released.
  private func go(on context: ServerRequestContext, did: LastAction, leaving: Bool = false) async throws -> Response {
    let (address, form) = (CaseAddress(context.form), context.form)
    if address.isOfQueue, form["stay"] == nil {
      return try await queuePages.openNext(address, context, leaving: leaving ? form : nil, done: did.text)
    }
    return .redirect(to: address.address(of: did.number, [("did", did.text)]), type: .normal)
  }
}
