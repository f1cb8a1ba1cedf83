// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
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

/// Values of the template `reviews`.
struct ReviewsPage: Encodable {
  let done: String
  let reviews: [ReviewRow]
  let disputes: [ReviewRow]
}

/// A decision in a list of reviews. The category is not shown: where it is not that of the reports, the decision is no
/// allow.
struct ReviewRow: Encodable {
  let address: String
  let number: String
  let country: String

  init(_ digits: Int64, _ decisionID: UUID, _ texts: Localizer) {
    address = "\(ReviewPages.address)/\(digits)/\(decisionID.uuidString.lowercased())"
    number = NumberText.text(digits)
    country = NumberText.country(digits, texts)
  }
}

/// Values of the template `review`.
struct ReviewPage: Encodable {
  struct Treatment: Encodable {
    let value: String
    let name: String
    let isChosen: Bool
  }

  struct Category: Encodable {
    let slug: String
    let name: String
    let isChosen: Bool
  }

  /// One of the two treatments of a dispute.
  struct Position: Encodable {
    let title: String
    let treatment: String
    let account: String
    let note: String
  }

  let address: String
  let number: String
  let id: String
  let evidence: ReviewEvidence
  let treatments: [Treatment]
  let categories: [Category]
  /// Both treatments; empty for a review.
  let positions: [Position]
  let isDispute: Bool
  /// The effect of blocking the number, where that needs a confirmation; empty for none.
  let blockConsequence: String
  let isConfirmed: Bool
  let isConfirmationMissing: Bool
  let problem: String
  let note: String
  let reason: String
  let label: String

  /// - Parameters:
  ///   - file: the data of the number.
  ///   - dispute: nil for a review.
  ///   - typed: the form to show again; nil for an empty form.
  init(
    _ phone: PhoneNumber, decisionID: UUID, _ file: CaseFile, dispute: Dispute?, typed: Form?, problem: String,
    isConfirmationMissing: Bool, at time: Date, _ texts: Localizer
  ) {
    address = "\(ReviewPages.address)/\(phone.digits)/\(decisionID.uuidString.lowercased())"
    number = phone.formatted(.international)
    id = UUID().uuidString.lowercased()
    evidence = ReviewEvidence(file, at: time, texts)
    treatments = Decision.Treatment.allCases.map {
      Treatment(
        value: $0.rawValue, name: texts("reviews.treatment.\($0.rawValue)"), isChosen: typed?["decision"] == $0.rawValue
      )
    }
    categories = ReportCategory.allCases.filter(\.isToxic).map {
      Category(slug: $0.slug, name: texts.category($0), isChosen: typed?["category"] == $0.slug)
    }
    positions =
      dispute.map { dispute in
        [
          Position(
            title: texts("reviews.first"), treatment: texts("reviews.treatment.\(dispute.treatment.rawValue)"),
            account: dispute.decidedBy, note: ""),
          Position(
            title: texts("reviews.second"),
            treatment: texts("reviews.treatment.\(dispute.opinion.treatment.rawValue)"),
            account: dispute.opinion.account, note: dispute.opinion.note ?? ""),
        ]
      } ?? []
    isDispute = dispute != nil
    blockConsequence = dispute == nil ? "" : DecisionForm.blockConsequence(file, texts)
    isConfirmed = typed?["confirm"] != nil
    self.isConfirmationMissing = isConfirmationMissing
    self.problem = problem
    (note, reason, label) = (typed?["note"] ?? "", typed?["reason"] ?? "", typed?["label"] ?? "")
  }
}

/// Everything about a number that does not reveal a decision: no decisions, notes, listings or states of cases.
struct ReviewEvidence: Encodable {
  struct Name: Encodable {
    let name: String
    let category: String
    let source: String
  }

  struct Fact: Encodable {
    let name: String
    let value: String
  }

  struct Part: Encodable {
    let category: String
    let reports: String
    let reporters: String
    let heat: String
  }

  struct Comment: Encodable {
    let text: String
    let category: String
    let time: PageTime
  }

  struct Day: Encodable {
    let day: String
    let complaints: String
    let votes: String
    let calls: String
  }

  let country: String
  let names: [Name]
  let facts: [Fact]
  let holds: [String]
  let parts: [Part]
  let hasComments: Bool
  let comments: [Comment]
  /// Comments on harassment, which may themselves be harassment.
  let hiddenComments: [Comment]
  /// The number of hidden comments; the title of their fold.
  let hiddenCount: String
  /// Statements of owners.
  let statements: [String]
  let days: [Day]

  init(_ file: CaseFile, at time: Date, _ texts: Localizer) {
    let (score, explanation) = (file.explanation.score, file.explanation)
    country = NumberText.country(explanation.number, texts)
    names = file.names.map { Name(name: $0.name, category: $0.category ?? "", source: $0.source) }
    let parts = (score?.parts ?? []).sorted { $0.heat > $1.heat }
    let figures: [(String, String?)] = [
      ("reports", texts.number(parts.reduce(0) { $0 + $1.reports })),
      ("complaining", texts.number(score?.reporters ?? 0)),
      ("legitimate", texts.number(parts.reduce(0) { $0 + ($1.category.isToxic ? 0 : $1.reporters) })),
      ("networks", texts.number(score?.networks ?? 0)), ("days", texts.number(score?.days ?? 0)),
      ("first", explanation.firstReportedAt.map { texts.day($0) }),
      ("last", explanation.lastReportedAt.map { texts.day($0) }),
    ]
    facts = figures.compactMap { name, value in value.map { Fact(name: texts("reviews.fact.\(name)"), value: $0) } }
    holds = file.hold.map { [texts.message($0.reason)] } ?? []
    self.parts = parts.map {
      Part(
        category: texts.category($0.category), reports: texts.number($0.reports),
        reporters: texts.number($0.reporters), heat: texts.decimal($0.heat))
    }
    let shown = file.comments.prefix(CaseStore.comments)
    func comments(_ some: [CaseComment]) -> [Comment] {
      some.map { Comment(text: $0.text, category: texts.category($0.category), time: PageTime($0.reportedAt, texts)) }
    }
    let hidden = shown.filter { $0.category == .harassment }
    hasComments = !shown.isEmpty
    self.comments = comments(shown.filter { $0.category != .harassment })
    hiddenComments = comments(hidden)
    hiddenCount = texts.count("case.comments-hidden", hidden.reduce(0) { $0 + $1.count })
    statements = file.appeals.map(\.statement)
    days = file.days.reversed().map { day in
      Day(
        day: texts.day(Date(timeIntervalSince1970: Double(day.day) * 86_400)),
        complaints: texts.number(day.complaints), votes: texts.number(day.votes), calls: texts.number(day.calls))
    }
  }
}
