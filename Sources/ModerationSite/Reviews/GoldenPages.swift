// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import PhoneNumbers
import Storage

/// `/moderation/golden`: golden cases, for administrators.
struct GoldenPages: Sendable {
  let reviews: ReviewStore
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
      guard try await reviews.mark(number.digits, by: worker.account, role: worker.role, at: Date()) else {
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
    _ = try await reviews.unmark(number, id, by: worker.account, role: worker.role, at: Date())
    return .redirect(to: "\(Self.address)?done=removed", type: .normal)
  }

  private func show(
    _ context: ServerRequestContext, done: String = "", problem: String = ""
  ) async throws -> Response {
    let texts = pages.texts(context)
    let page = GoldenPage(
      done: done, typed: String((context.form["number"] ?? "").prefix(100)), problem: problem,
      rows: try await reviews.goldenCases().map { GoldenRow($0, texts) })
    return try pages.page("golden", page, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}

/// Values of the template `golden`.
struct GoldenPage: Encodable {
  let done: String
  let typed: String
  let problem: String
  let rows: [GoldenRow]
}

/// A golden case.
struct GoldenRow: Encodable {
  let digits: Int64
  let number: String
  let decision: String
  let treatment: String
  let markedBy: String
  let markedAt: PageTime
  let answers: String

  init(_ golden: GoldenCase, _ texts: Localizer) {
    digits = golden.number
    number = NumberText.text(golden.number)
    decision = golden.decisionID.uuidString.lowercased()
    treatment = texts("reviews.treatment.\(golden.treatment.rawValue)")
    markedBy = golden.markedBy
    markedAt = PageTime(golden.markedAt, texts)
    answers = golden.answers == 0 ? "–" : "\(texts.number(golden.right)) / \(texts.number(golden.answers))"
  }
}

/// `/moderation/agreement`: the agreement of moderators by category, and the precision of reviewers. Moderators see their
/// own figures, administrators those of all accounts.
struct AgreementPages: Sendable {
  let reviews: ReviewStore
  let pages: PageRenderer

  /// Reviews of this many days count.
  static let days = 365

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, texts) = (try context.worker, pages.texts(context))
    let decisions = try await reviews.ratedDecisions(since: Date() - Double(Self.days) * 86_400)
    let records = try await reviews.records(of: worker.role >= .administrator ? nil : worker.account)
    let page = AgreementPage(
      categories: AgreementRow.all(decisions, texts), reviewers: records.map { ReviewerRow($0, texts) },
      days: texts.number(Self.days))
    return try pages.page("agreement", page, context)
  }
}

/// Values of the template `agreement`.
struct AgreementPage: Encodable {
  let categories: [AgreementRow]
  let reviewers: [ReviewerRow]
  let days: String
}

/// The agreement about the decisions of one category, or of all.
struct AgreementRow: Encodable {
  let category: String
  let decisions: String
  let coefficient: String
  let value: String
  let interval: String

  init(_ category: String, _ decisions: [RatedDecisions], _ texts: Localizer) {
    self.category = category
    self.decisions = texts.number(decisions.reduce(0) { $0 + $1.count })
    let units = decisions.map { decision in
      let ratings = decision.ratings.map { Agreement.Rating(rater: $0.account, value: $0.treatment.place) }
      return Agreement.Units(ratings: ratings, count: decision.count)
    }
    guard let agreement = Agreement.of(counted: units, values: Decision.Treatment.allCases.count) else {
      (coefficient, value, interval) = ("–", "–", texts("reviews.undefined"))
      return
    }
    coefficient = texts("reviews.\(agreement.coefficient.rawValue)")
    value = texts.decimal(agreement.value, places: 2)
    interval =
      agreement.interval.map { range in
        texts(
          "reviews.interval",
          ["low": texts.decimal(range.lowerBound, places: 2), "high": texts.decimal(range.upperBound, places: 2)])
      } ?? "–"
  }

  /// A row for each category with reviews, and one for all decisions, first.
  static func all(_ decisions: [RatedDecisions], _ texts: Localizer) -> [AgreementRow] {
    guard !decisions.isEmpty else { return [] }
    let categories: [ReportCategory?] = ReportCategory.allCases + [nil]
    return [AgreementRow(texts("reviews.all"), decisions, texts)]
      + categories.compactMap { category in
        let some = decisions.filter { $0.category == category }
        let name = category.map(texts.category) ?? texts("reviews.no-category")
        return some.isEmpty ? nil : AgreementRow(name, some, texts)
      }
  }
}

extension Decision.Treatment {
  /// The place in the list of all treatments.
  fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The figures of one reviewer.
struct ReviewerRow: Encodable {
  let account: String
  let golden: String
  let precision: String
  let reviews: String
  let reviewed: String
  let overruled: String

  init(_ record: ReviewerRecord, _ texts: Localizer) {
    account = record.account
    golden = Self.part(record.goldenRight, record.golden, texts)
    let (right, wrong) = (Double(record.goldenRight), Double(record.golden - record.goldenRight))
    precision =
      record.golden == 0
      ? "–"
      : texts(
        "reviews.interval",
        [
          "low": texts.percent(Confidence.wilsonLowerBound(toxic: right, legitimate: wrong)),
          "high": texts.percent(1 - Confidence.wilsonLowerBound(toxic: wrong, legitimate: right)),
        ])
    reviews = Self.part(record.equal, record.reviews, texts)
    reviewed = Self.part(record.confirmed, record.reviewed, texts)
    overruled = texts.number(record.overruled)
  }

  private static func part(_ some: Int, _ all: Int, _ texts: Localizer) -> String {
    all == 0 ? "–" : "\(texts.number(some)) / \(texts.number(all))"
  }
}
