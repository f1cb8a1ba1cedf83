// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Moderation
import PhoneNumbers
import Storage

/// `/moderation/golden`: golden cases, for administrators.
struct GoldenPages: Sendable {
  let reviews: ReviewStore
  let service: ReviewService
  let pages: PageRenderer

  static let address = "/moderation/golden"

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let done = pages.texts(context).find("reviews.golden-\(request.query("done"))") ?? ""
    return try await show(context, done: done)
  }

  @Sendable func mark(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, texts) = (try context.worker, pages.texts(context))
    switch NumberField.read(context.form.text("number") ?? "", country: nil) {
    case .failure(let problem): return try await show(context, problem: texts(problem.key))
    case .success(let number):
      guard try await service.mark(number.digits, by: worker, at: Date()) else {
        return try await show(context, problem: texts("reviews.golden-undecided"))
      }
      return .redirect(to: "\(Self.address)?done=marked", type: .normal)
    }
  }

  @Sendable func remove(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, form) = (try context.worker, context.form)
    guard let number = form["number"].flatMap({ Int64($0) }),
      let id = form["decision"].flatMap({ UUID(uuidString: $0) })
    else { throw Problem.notFound }
    _ = try await service.unmark(number, id, by: worker, at: Date())
    return .redirect(to: "\(Self.address)?done=removed", type: .normal)
  }

  private func show(
    _ context: ServerRequestContext, done: String = "", problem: String = ""
  ) async throws -> Response {
    let texts = pages.texts(context)
    return try pages.page(
      "golden",
      [
        "activation": try await reviews.activation().record(texts), "done": done,
        "typed": String((context.form["number"] ?? "").prefix(100)), "problem": problem,
        "rows": try await reviews.goldenCases().map { $0.record(texts) },
      ], context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}

extension GoldenCase {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "digits": number, "number": NumberText.text(number), "decision": decisionID.text,
      "treatment": texts("reviews.treatment.\(treatment.rawValue)"), "markedBy": markedBy,
      "markedAt": PageTime(markedAt, texts),
      "answers": texts.part(right, of: answers),
    ]
  }
}

/// `/moderation/agreement`: the agreement of moderators by category, and the precision of reviewers. Moderators see their
/// own figures, administrators the figures of all accounts.
struct AgreementPages: Sendable {
  let reviews: ReviewStore
  let pages: PageRenderer

  /// Reviews of this many days count.
  static let days = 365

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, texts) = (try context.worker, pages.texts(context))
    let decisions = try await reviews.ratedDecisions(since: Date() - Double(Self.days) * 86_400)
    let records = try await reviews.records(of: worker.role >= .administrator ? nil : worker.name)
    return try pages.page(
      "agreement",
      [
        "categories": Self.rows(decisions, texts), "reviewers": records.map { $0.record(texts) },
        "days": texts.number(Self.days),
      ], context)
  }

  /// A row for each category with reviews, and one for all decisions, first.
  private static func rows(_ decisions: [RatedDecisions], _ texts: Localizer) -> [TemplateRecord] {
    guard !decisions.isEmpty else { return [] }
    let categories: [ReportCategory?] = ReportCategory.allCases + [nil]
    return [row(texts("reviews.all"), decisions, texts)]
      + categories.compactMap { category in
        let some = decisions.filter { $0.category == category }
        let name = category.map(texts.category) ?? texts("reviews.no-category")
        return some.isEmpty ? nil : row(name, some, texts)
      }
  }

  /// The agreement about some decisions; see ``Observations``.
  static func row(_ category: String, _ decisions: [RatedDecisions], _ texts: Localizer) -> TemplateRecord {
    let total = decisions.reduce(0) { $0 + $1.count }
    let count = texts.number(total)
    guard Observations.suffice(total) else {
      return [
        "category": category, "decisions": count, "coefficient": "–", "value": texts("reviews.too-few"),
        "interval": "–",
      ]
    }
    guard let agreement = decisions.agreement else {
      return [
        "category": category, "decisions": count, "coefficient": "–", "value": "–",
        "interval": texts("reviews.undefined"),
      ]
    }
    let interval = agreement.interval.map { range in
      texts(
        "reviews.interval",
        ["low": texts.decimal(range.lowerBound, places: 2), "high": texts.decimal(range.upperBound, places: 2)])
    }
    return [
      "category": category, "decisions": count, "coefficient": texts("reviews.\(agreement.coefficient.rawValue)"),
      "value": texts.decimal(agreement.value, places: 2), "interval": interval ?? "–",
    ]
  }
}

extension ReviewerRecord {
  /// The figures of one reviewer.
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    let (right, wrong) = (Double(goldenRight), Double(golden - goldenRight))
    let interval = [
      "low": texts.percent(Confidence.wilsonLowerBound(toxic: right, legitimate: wrong)),
      "high": texts.percent(1 - Confidence.wilsonLowerBound(toxic: wrong, legitimate: right)),
    ]
    return [
      "account": account, "golden": texts.part(goldenRight, of: golden),
      "precision": Observations.suffice(golden) ? texts("reviews.interval", interval) : "–",
      "reviews": texts.part(equal, of: reviews), "reviewed": texts.part(confirmed, of: reviewed),
      "overruled": texts.part(overruled, of: reviewed),
    ]
  }
}

extension Localizer {
  /// A share as two counts, such as `41 / 50`; `too few` where all observations are too few for one.
  func part(_ some: Int, of all: Int) -> String {
    guard all > 0 else { return "–" }
    return Observations.suffice(all) ? "\(number(some)) / \(number(all))" : self("reviews.too-few")
  }
}
