// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Moderation
import PhoneNumbers
import Storage

/// `/moderation/reviews`: second reviews of decisions. A reviewer sees what is known about the number, and not the
/// decision. Administrators settle disputes.
struct ReviewPages: Sendable {
  let reviews: ReviewStore
  let service: ReviewService
  let cases: CaseStore
  let pages: PageRenderer

  static let address = "/moderation/reviews"

  /// `GET /moderation/reviews`
  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, texts) = (try context.worker, pages.texts(context))
    let items = try await service.open(for: worker.name)
    let disputes = worker.role >= .administrator ? try await reviews.disputes() : []
    return try pages.page(
      "reviews",
      [
        "activation": try await reviews.activation().record(texts),
        "done": texts.find("reviews.done-\(request.query("done"))") ?? "",
        "reviews": items.map { Self.row($0.number, $0.decisionID, texts) },
        "disputes": disputes.filter { $0.canBeSettled(by: worker.name) }.map {
          Self.row($0.number, $0.decisionID, texts)
        },
      ], context)
  }

  /// `POST /moderation/reviews/activation`: turns second reviews and golden cases on or off.
  @Sendable func activate(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let isOn = context.form["on"] != nil
    let isDone = try await service.turn(on: isOn, by: try context.worker, at: Date())
    return .redirect(to: "\(Self.address)?done=\(!isDone ? "few" : isOn ? "on" : "off")", type: .normal)
  }

  /// A decision in a list of reviews. The category is not shown: where it is not the category of the reports, the
  /// decision is no allow.
  private static func row(_ digits: Int64, _ decision: UUID, _ texts: Localizer) -> TemplateRecord {
    [
      "address": address(of: digits, decision), "number": NumberText.text(digits),
      "country": NumberText.country(digits, texts),
    ]
  }

  fileprivate static func address(of digits: Int64, _ decision: UUID) -> String {
    "\(address)/\(digits)/\(decision.text)"
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
        number: number.digits, decisionID: id, treatment: treatment, note: form.text("note"), account: worker.name,
        reviewedAt: Date())
    } catch {
      return try await show(context, problem: pages.texts(context).message(error))
    }
    let outcome = try await service.record(opinion, role: worker.role)
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
        id: form.id, number: number.digits, treatment: treatment,
        label: treatment == .allow ? nil : form.text("label"),
        category: treatment == .allow ? nil : form.text("category").flatMap { ReportCategory(slug: $0) },
        reason: reason, decidedBy: worker.name, decidedAt: Date())
      if treatment == .block {
        let rule = try await cases.brief(number.digits, at: decision.decidedAt).blockRule
        try rule.check(isConfirmed: form["confirm"] != nil)
      }
      let outcome = try await service.settle(id, by: decision, role: worker.role)
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
    // A dispute first: its decision may also be a golden case.
    var dispute: Dispute?
    if worker.role >= .administrator, let found = try await reviews.dispute(number.digits, id),
      found.canBeSettled(by: worker.name)
    {
      dispute = found
    }
    if dispute == nil, try await reviews.find(number.digits, id, for: worker.name) == nil {
      return .redirect(to: "\(Self.address)?done=closed", type: .normal)
    }
    let file = try await cases.read(number.digits, at: now)
    let form = problem.isEmpty ? nil : context.form
    let page = ReviewPage(number: number, decisionID: id, file: file, dispute: dispute, typed: form)
    let values = page.record(texts).adding(["problem": problem, "isConfirmationMissing": isConfirmationMissing])
    return try pages.page("review", values, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}

extension ReviewActivation {
  /// Values of the partial `review-activation`.
  func record(_ texts: Localizer) -> TemplateRecord {
    let values = ["count": texts.number(moderators), "min": texts.number(ReviewPolicy.minModerators)]
    return [
      "isOn": isOn, "isProposed": isPossible && !isRequested,
      "text": isOn ? "" : texts(isPossible ? "reviews.proposed" : "reviews.off", values),
    ]
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

/// A review or a dispute.
private struct ReviewPage {
  let number: PhoneNumber
  let decisionID: UUID
  let file: CaseFile
  /// Nil for a review.
  let dispute: Dispute?
  /// The form to show again; nil for an empty form.
  let typed: Form?

  /// Values of the template `review`.
  func record(_ texts: Localizer) -> TemplateRecord {
    [
      "address": ReviewPages.address(of: number.digits, decisionID), "number": number.formatted(.international),
      "id": UUID().text, "evidence": file.evidence(texts),
      "treatments": Decision.Treatment.allCases.map {
        TemplateRecord.choice(
          $0.rawValue, texts("reviews.treatment.\($0.rawValue)"), isChosen: typed?["decision"] == $0.rawValue)
      },
      "categories": TemplateRecord.categories(chosen: typed?["category"], texts),
      "positions": dispute?.positions(texts) ?? [], "isDispute": dispute != nil,
      "blockConsequence": dispute == nil ? "" : DecisionForm.blockConsequence(file, texts),
      "isConfirmed": typed?["confirm"] != nil, "note": typed?["note"] ?? "", "reason": typed?["reason"] ?? "",
      "label": typed?["label"] ?? "",
    ]
  }
}

extension Dispute {
  /// The two treatments.
  fileprivate func positions(_ texts: Localizer) -> [TemplateRecord] {
    [
      [
        "title": texts("reviews.first"), "treatment": texts("reviews.treatment.\(treatment.rawValue)"),
        "account": decidedBy, "note": "",
      ],
      [
        "title": texts("reviews.second"), "treatment": texts("reviews.treatment.\(opinion.treatment.rawValue)"),
        "account": opinion.account, "note": opinion.note ?? "",
      ],
    ]
  }
}

extension CaseFile {
  /// Everything about a number that does not reveal a decision: no decisions, notes, listings or states of cases.
  fileprivate func evidence(_ texts: Localizer) -> TemplateRecord {
    let score = explanation.score
    let parts = score?.parts ?? []
    let figures: [(String, String?)] = [
      ("reports", texts.number(parts.reduce(0) { $0 + $1.reports })),
      ("complaining", texts.number(score?.reporters ?? 0)),
      ("legitimate", texts.number(parts.reduce(0) { $0 + ($1.category.isToxic ? 0 : $1.reporters) })),
      ("networks", texts.number(score?.networks ?? 0)), ("days", texts.number(score?.days ?? 0)),
      ("first", explanation.firstReportedAt.map { texts.day($0) }),
      ("last", explanation.lastReportedAt.map { texts.day($0) }),
    ]
    return commentRecords(texts).adding([
      "country": NumberText.country(explanation.number, texts), "names": names.map(\.record),
      "facts": figures.compactMap { name, value in
        value.map { ["name": texts("reviews.fact.\(name)"), "value": $0] as TemplateRecord }
      },
      "holds": hold.map { texts.message($0.reason) },
      "parts": score.map { $0.partRecords(texts) }.map { $0.main + $0.minor } ?? [],
      // Statements of owners.
      "statements": appeals.map(\.statement), "days": CaseChart.rows(days, texts),
    ])
  }
}
