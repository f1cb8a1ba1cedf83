// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Curation
import Foundation
import PhoneNumbers
import Storage

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
