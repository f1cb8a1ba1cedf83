// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Storage

/// `/moderation/reviews`: second reviews of decisions. A reviewer sees what is known about the number, and not the
/// decision. Administrators settle disputes.
struct ReviewPages: Sendable {
  let reviews: ReviewStore
  let cases: CaseStore
  let pages: PageRenderer

  static let address = "/moderation/reviews"

  /// `GET /moderation/reviews`
  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, texts) = (try context.worker, pages.texts(context))
    let items = try await reviews.open(for: worker.account)
    let disputes = worker.role >= .administrator ? try await reviews.disputes() : []
    let page = ReviewsPage(
      done: texts.find("reviews.done-\(request.query("done"))") ?? "",
      reviews: items.map { ReviewRow($0.number, $0.decisionID, texts) },
      disputes: disputes.filter { $0.canBeSettled(by: worker.account) }.map {
        ReviewRow($0.number, $0.decisionID, texts)
      })
    return try pages.page("reviews", page, context)
  }

  /// `GET /moderation/reviews/{number}/{decision}`
  @Sendable func one(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(context)
  }

  /// `POST /moderation/reviews/{number}/{decision}`
  @Sendable func record(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, id, worker, form) = (try context.number, try context.decisionID, try context.worker, context.form)
    guard let treatment = form["decision"].flatMap({ Decision.Treatment(rawValue: $0) }) else {
      return try await show(context, problem: pages.texts(context)("reviews.choose"))
    }
    let opinion: ReviewOpinion
    do throws(RuleViolation) {
      opinion = try ReviewOpinion(
        number: number.digits, decisionID: id, treatment: treatment, note: form.text("note"), account: worker.account,
        reviewedAt: Date())
    } catch {
      return try await show(context, problem: pages.texts(context).message(error))
    }
    let outcome = try await reviews.record(opinion, role: worker.role)
    return .redirect(to: "\(Self.address)?done=\(outcome == .recorded ? "recorded" : "closed")", type: .normal)
  }

  /// `POST /moderation/reviews/{number}/{decision}/settle`
  @Sendable func settle(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, id, worker, form) = (try context.number, try context.decisionID, try context.worker, context.form)
    let texts = pages.texts(context)
    guard let treatment = form["decision"].flatMap({ Decision.Treatment(rawValue: $0) }) else {
      return try await show(context, problem: texts("reviews.choose"))
    }
    guard let reason = form.text("reason") else {
      return try await show(context, problem: texts("reviews.reason-needed"))
    }
    do {
      let decision = try Decision(
        id: form["id"].flatMap { UUID(uuidString: $0) } ?? UUID(), number: number.digits, treatment: treatment,
        label: treatment == .allow ? nil : form.text("label"),
        category: treatment == .allow ? nil : form.text("category").flatMap { ReportCategory(slug: $0) },
        reason: reason, decidedBy: worker.account, decidedAt: Date())
      if treatment == .block {
        let rule = try await cases.brief(number.digits, at: decision.decidedAt).blockRule
        try rule.check(isConfirmed: form["confirm"] != nil)
      }
      let outcome = try await reviews.settle(id, by: decision, role: worker.role)
      return .redirect(to: "\(Self.address)?done=\(outcome == .settled ? "settled" : "closed")", type: .normal)
    } catch let problem as RuleViolation where problem.code == .blockNeedsConfirmation {
      return try await show(context, problem: texts("case.problem.confirm"), isConfirmationMissing: true)
    } catch let problem as RuleViolation {
      return try await show(context, problem: texts.message(problem))
    } catch DecisionError.protected {
      return try await show(context, problem: texts.message(RuleViolation(.numberProtected, field: "protected")))
    } catch DecisionError.stale {
      return .redirect(to: "\(Self.address)?done=closed", type: .normal)
    }
  }

  /// Shows a review, or a dispute to an administrator who may settle it. Other decisions lead to the list.
  private func show(
    _ context: ServerRequestContext, problem: String = "", isConfirmationMissing: Bool = false
  ) async throws -> Response {
    let (number, id, worker) = (try context.number, try context.decisionID, try context.worker)
    let (texts, now) = (pages.texts(context), Date())
    let item = try await reviews.find(number.digits, id, for: worker.account)
    var dispute: Dispute?
    if item == nil, worker.role >= .administrator { dispute = try await reviews.dispute(number.digits, id) }
    guard item != nil || dispute?.canBeSettled(by: worker.account) == true else {
      return .redirect(to: "\(Self.address)?done=closed", type: .normal)
    }
    let file = try await cases.read(number.digits, at: now)
    let page = ReviewPage(
      number, decisionID: id, file, dispute: dispute, typed: problem.isEmpty ? nil : context.form, problem: problem,
      isConfirmationMissing: isConfirmationMissing, at: now, texts)
    return try pages.page("review", page, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}

extension ServerRequestContext {
  /// The id of the decision in the path.
  fileprivate var decisionID: UUID {
    get throws {
      guard let id = parameters.get("decision").flatMap({ UUID(uuidString: $0) }) else { throw Problem.notFound }
      return id
    }
  }
}
