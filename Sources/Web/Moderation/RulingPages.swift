import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Storage

/// What a moderator decides about a case, and takes back.
struct RulingPages: Sendable {
  let cases: CasePages
  let queuePages: QueuePages
  let rulings: RulingStore
  let queue: QueueStore
  let census: Census

  /// `POST /moderation/numbers/{number}/ruling`
  @Sendable func rule(_ request: Request, context: WebContext) async throws -> Response {
    let (number, worker, form) = (try context.number, try context.worker, context.form)
    guard let choice = form["decision"].flatMap({ RulingForm.Choice(rawValue: $0) }) else {
      return try await cases.answer(
        context, problem: RulingProblem(field: "decision", rule: "is one of those that the page offers"))
    }
    guard worker.role >= .moderator || [.allow, .unsure, .escalate].contains(choice) else {
      throw Problem.needs(.moderator)
    }
    let now = try await cases.cases.brief(number.digits, at: Date())
    if let item = now.item {
      guard item.level <= worker.level else { throw Problem.needs(item.level > 1 ? .administrator : .moderator) }
      if let claim = item.claim, claim.account != worker.account, claim.until > Date() {
        return try await cases.answer(context, changes: [.claim])
      }
    }
    guard let decision = choice.decision else { return try await pass(choice, number, worker, context) }
    do {
      let ruling = try Ruling(
        id: form["id"].flatMap { UUID(uuidString: $0) } ?? UUID(), number: number.digits, decision: decision,
        label: decision == .allow ? nil : form.text("label"),
        category: decision == .allow ? nil : form.text("category").flatMap { ReportCategory(slug: $0) },
        reason: form.text("reason"), note: form.text("note"), moderator: worker.account, ruledAt: Date())
      // A form that is sent again after its answer was lost finds its own ruling.
      let isAgain = now.rulings.contains { $0.id == ruling.id }
      let changes = isAgain ? [] : Self.changes(form, to: CaseVersion(now.explanation))
      guard changes.isEmpty else { return try await cases.answer(context, changes: changes) }
      let expected = form["version"].flatMap { CaseVersion($0) }.map { ExpectedRuling.this($0.ruling) } ?? .any
      let outcome = try await rulings.record(ruling, expecting: expected, role: worker.role)
      // Another ruling came under this id: this one was not made.
      guard outcome != .conflict else { return try await cases.answer(context, changes: [.ruling]) }
      if let item = now.item { await census.remove(item) }
      return try await go(on: context, did: Did(ruling: ruling))
    } catch let problem as RulingProblem {
      return try await cases.answer(context, problem: problem)
    } catch RulingError.stale {
      return try await cases.answer(context, changes: [.ruling])
    } catch RulingError.protected {
      return try await cases.answer(context, problem: RulingProblem(field: "protected", rule: "is not to be published"))
    }
  }

  /// `POST /moderation/numbers/{number}/undo`
  @Sendable func undo(_ request: Request, context: WebContext) async throws -> Response {
    let (number, worker, form) = (try context.number, try context.worker, context.form)
    guard let id = form["ruling"].flatMap({ UUID(uuidString: $0) }),
      let event = try await rulings.history(of: number.digits).first(where: { $0.id == id })
    else { throw Problem.notFound }
    guard RulingRights.canUndo(event, worker) else { throw Problem.needs(.moderator) }
    _ = try await rulings.undo(id, of: number.digits, moderator: worker.account, role: worker.role, at: Date())
    await census.forget()
    // Back to the number: whoever takes a ruling back wants to make another one.
    let more = form["queue"] == nil ? [] : [(name: "queue", value: "1")]
    let did = "ruling.\(number.digits).\(id.uuidString.lowercased())"
    return .redirect(
      to: QueueAddress(form).address("/moderation/numbers/\(number.digits)", more + [("did", did)]), type: .normal)
  }

  private func pass(
    _ choice: RulingForm.Choice, _ number: PhoneNumber, _ worker: QueueWorker, _ context: WebContext
  ) async throws -> Response {
    if let note = context.form.text("note") {
      do {
        let id = context.form["id"].flatMap { UUID(uuidString: $0) } ?? UUID()
        try await cases.cases.note(note, about: number.digits, id: id, by: worker, at: Date())
      } catch let problem as RulingProblem {
        return try await cases.answer(context, problem: problem)
      }
    }
    let isDone =
      choice == .unsure
      ? try await queue.pass(number.digits, by: worker, at: Date())
      : try await queue.escalate(number.digits, by: worker, reason: context.form.text("reason"), at: Date())
    guard isDone else { return try await cases.answer(context, changes: [.verdict]) }
    await census.forget()
    return try await go(on: context, did: Did(choice, number: number.digits), leaving: true)
  }

  /// What is not as the form's page had it. A form without a version is no page's: it says what it sees itself.
  private static func changes(_ form: Form, to version: CaseVersion) -> [CaseVersion.Change] {
    guard let seen = form["version"].flatMap({ CaseVersion($0) }) else { return [.ruling] }
    return seen.changes(to: version)
  }

  /// - Parameter leaving: whether the case still waits and its claim is to be given back.
  private func go(on context: WebContext, did: Did, leaving: Bool = false) async throws -> Response {
    let (address, form) = (QueueAddress(context.form), context.form)
    if form["queue"] != nil, form["stay"] == nil {
      return try await queuePages.openNext(address, context, leaving: leaving ? form : nil, done: did.text)
    }
    let more = (form["queue"] == nil ? [] : [(name: "queue", value: "1")]) + [(name: "did", value: did.text)]
    return .redirect(to: address.address("/moderation/numbers/\(did.number)", more), type: .normal)
  }
}
