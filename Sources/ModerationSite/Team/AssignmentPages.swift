// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Storage

/// `/moderation/assignments`: rules that assign cases by country or category to accounts, for administrators.
struct AssignmentPages: Sendable {
  let assignments: AssignmentStore
  let queueCounts: QueueCountCache
  let pages: PageRenderer

  static let address = "/moderation/assignments"

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(context, done: request.query("done"))
  }

  @Sendable func add(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, worker) = (context.form, try context.worker)
    let known = Set(try await assignments.colleagues(of: "").map(\.name))
    do {
      let rule = try AssignmentRule(
        country: try CountryChoices.named(form["country"]),
        category: form.text("category").flatMap { ReportCategory(slug: $0) },
        accounts: form.all("account").filter(known.contains))
      guard try await assignments.add(rule, by: worker, at: Date()) else {
        throw RuleViolation(.decisionNotOffered, field: "full")
      }
    } catch let problem as RuleViolation {
      return try await show(context, problem: pages.texts(context)("team.problem.\(problem.field)"))
    }
    await queueCounts.forget()
    return .redirect(to: "\(Self.address)?done=added", type: .normal)
  }

  @Sendable func remove(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let id = context.form["id"].flatMap({ UUID(uuidString: $0) }) else { throw Problem.notFound }
    try await assignments.remove(id, by: try context.worker, at: Date())
    await queueCounts.forget()
    return .redirect(to: "\(Self.address)?done=removed", type: .normal)
  }

  private func show(
    _ context: ServerRequestContext, done: String = "", problem: String = ""
  ) async throws -> Response {
    let (texts, form) = (pages.texts(context), context.form)
    let chosen = Set(problem.isEmpty ? [] : form.all("account"))
    let page: TemplateRecord = [
      "done": texts.find("team.assignment-\(done)") ?? "", "problem": problem,
      "rules": try await assignments.rules().map { rule in
        [
          "id": rule.id.text, "country": rule.country.map { texts.country($0) } ?? texts("queue.any"),
          "category": rule.category.map { texts.category($0) } ?? texts("queue.any"),
          "accounts": rule.accounts.joined(separator: ", "),
        ] as TemplateRecord
      },
      "countries": try pages.countries.list(context.language, chosen: problem.isEmpty ? nil : form["country"]),
      "categories": TemplateRecord.categories(chosen: problem.isEmpty ? nil : form["category"], texts),
      "accounts": try await assignments.colleagues(of: "").map {
        TemplateRecord.choice($0.name, $0.name, isChosen: chosen.contains($0.name))
      },
    ]
    return try pages.page("assignments", page, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}
