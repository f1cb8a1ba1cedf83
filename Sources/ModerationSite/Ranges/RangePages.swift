// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Moderation
import Publishing
import Storage
import Support

/// `/moderation/ranges`: rules for ranges of numbers. Each is shown with its effect before it is saved or decided.
struct RangePages: Sendable {
  let ranges: RangeStore
  let service: RangeService
  let preview: RangePreview
  let recipes: @Sendable () -> RecipeReading
  let pages: PageRenderer

  static let address = "/moderation/ranges"
  /// The most rules of a state on the page; commands list all.
  private static let rows = 500

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(context, done: request.query("done"))
  }

  /// Shows the effect of a new rule, or saves it.
  @Sendable func add(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator else { throw Problem.notFound }
    let texts = pages.texts(context)
    let rule: RangeRule
    do {
      let (treatment, category) = (context.form.text("treatment"), context.form.text("category"))
      guard treatment.map({ Decision.Treatment(rawValue: $0) != nil }) ?? true else {
        throw RuleViolation(.decisionNotOffered, field: "treatment")
      }
      guard category.map({ ReportCategory(slug: $0) != nil }) ?? true else {
        throw RuleViolation(.categoryUnknown, field: "category")
      }
      rule = try RangeRule(
        RangePattern(context.form.text("range") ?? "", plan: .current),
        treatment: treatment.flatMap { Decision.Treatment(rawValue: $0) } ?? .block,
        category: category.flatMap { ReportCategory(slug: $0) } ?? .other,
        label: context.form.text("label"), reason: context.form.text("reason"),
        validFrom: try Self.day(context.form, "from"),
        validUntil: try Self.day(context.form, "until").map { $0 + 86_400 },
        proposedBy: moderator.name, at: Date())
    } catch let violation as RangeViolation {
      return try await show(context, problem: texts.message("ranges.rule", violation))
    } catch let violation as RuleViolation {
      return try await show(context, problem: texts.message(violation))
    }
    // The rule that it would replace, as the page showed it.
    let former = try await ranges.rule(of: rule.range)
    var problem = ""
    if context.form["action"] == "save" {
      do {
        guard context.form["former"] ?? "" == former?.version ?? "" else {
          throw RuleViolation(.rangeChanged, field: "range")
        }
        let saved = try await service.add([rule], by: Actor(moderator), at: Date())
        let done = saved.first?.state == .approved ? "approve" : "propose"
        return .redirect(to: "\(Self.address)?done=\(done)", type: .normal)
      } catch let violation as RuleViolation {
        problem = texts.message(violation)
      }
    }
    let shown = try await effect(of: rule, texts).adding(["former": former?.version ?? ""])
    return try await show(context, problem: problem, effect: shown)
  }

  /// The beginning of a day (UTC) in a field; nil for an empty one.
  private static func day(_ form: Form, _ field: String) throws(RuleViolation) -> Date? {
    guard let text = form.text(field) else { return nil }
    guard let day = Timestamp.parse("\(text)T00:00:00Z") else { throw RuleViolation(.notADay, field: field) }
    return day
  }

  /// The counts of a rule's numbers, and the changes of packs.
  private func effect(of rule: RangeRule, _ texts: Localizer) async throws -> TemplateRecord {
    let record = try await service.preview([rule]).record(texts)
    guard case .success(let recipes) = recipes().outcome else { return record }
    let changes = try await preview.changes(by: [rule], recipes: recipes, at: Date())
    let packs = changes.map { change in
      [
        "name": change.pack, "added": texts.number(change.added), "removed": texts.number(change.removed),
        "leftOut": texts.number(change.leftOut),
      ] as TemplateRecord
    }
    return record.adding(["packs": packs, "knowsPacks": true])
  }

  @Sendable func one(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(try await rule(request, context), context, done: request.query("done"))
  }

  @Sendable func decide(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let texts = pages.texts(context)
    guard let rule = try? await rule(request, context) else {
      // Removed since the page was shown: the reason stays in the form of a new rule.
      return try await show(context, problem: texts.message(RuleViolation(.rangeChanged, field: "range")))
    }
    guard let moderator = context.moderator else { throw Problem.notFound }
    let reason = context.form.text("reason")
    let decision = context.form["decision"] ?? ""
    guard ["approve", "reject", "remove"].contains(decision) else {
      return try await show(rule, context, problem: texts("ranges.choose"), reason: reason)
    }
    guard let reason else { return try await show(rule, context, problem: texts("ranges.reason-needed")) }
    do {
      // The buttons of the page are for the state that it showed.
      guard context.form["version"] == rule.version else { throw RuleViolation(.rangeChanged, field: "range") }
      if decision == "remove" {
        _ = try await service.remove(
          [rule], by: Actor(moderator),
          reason: try RuleViolation.line(reason, "reason", atMost: TextLimit.reason), at: Date())
        return .redirect(to: "\(Self.address)?done=remove", type: .normal)
      }
      try await service.decide(
        [rule], isApproved: decision == "approve", by: Actor(moderator), reason: reason, at: Date())
    } catch let violation as RuleViolation {
      return try await show(
        try await self.rule(request, context), context, problem: texts.message(violation), reason: reason)
    }
    return .redirect(to: "\(rule.address)\(rule.appID == 0 ? "?" : "&")done=\(decision)", type: .normal)
  }

  private func rule(_ request: Request, _ context: ServerRequestContext) async throws -> RangeRule {
    let path = context.parameters.get("range")?.removingPercentEncoding ?? ""
    let appID = Int32(request.query("source")) ?? RangeRule.noSource
    guard let range = try? RangePattern(path, plan: .current),
      let rule = try await ranges.rule(of: range, appID: appID)
    else { throw Problem.notFound }
    return rule
  }

  private func show(
    _ context: ServerRequestContext, done: String = "", problem: String = "", effect: TemplateRecord? = nil
  ) async throws -> Response {
    let (texts, form) = (pages.texts(context), context.form)
    let all = try await ranges.rules()
    let more = context.moderator?.role == .administrator ? "ranges.more" : "ranges.more-plain"
    let groups = [RangeRule.State.proposed, .approved, .rejected].map { state in
      let rules = all.filter { $0.state == state }
      return [
        "title": texts("ranges.title-\(state.rawValue)"), "hint": texts("ranges.none-\(state.rawValue)"),
        "rows": rules.prefix(Self.rows).map { $0.record(at: Date(), texts) },
        "more": rules.count > Self.rows ? texts.count(more, rules.count - Self.rows) : "",
      ] as TemplateRecord
    }
    let page: TemplateRecord = [
      "groups": groups, "done": texts.find("ranges.done-\(done)") ?? "", "problem": problem,
      "range": String((form["range"] ?? "").prefix(64)), "label": form["label"] ?? "",
      "reason": form["reason"] ?? "",
      "treatments": Decision.Treatment.allCases.map { treatment in
        [
          "value": treatment.rawValue, "name": texts("ranges.treatment-\(treatment.rawValue)"),
          "isChosen": form["treatment"] == treatment.rawValue,
        ] as TemplateRecord
      },
      "from": String((form["from"] ?? "").prefix(32)), "until": String((form["until"] ?? "").prefix(32)),
      "categories": TemplateRecord.categories(chosen: form["category"], texts), "effect": effect,
    ]
    return try pages.page("ranges", page, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }

  private func show(
    _ rule: RangeRule, _ context: ServerRequestContext, problem: String = "", reason: String? = nil, done: String = ""
  ) async throws -> Response {
    let texts = pages.texts(context)
    let tone =
      switch rule.state {
      case .proposed: "warn"
      case .approved: "alarm"
      case .rejected: "good"
      }
    let page: TemplateRecord = [
      "row": rule.record(at: Date(), texts), "state": texts("ranges.state-\(rule.state.rawValue)"), "tone": tone,
      "isApproved": rule.state == .approved, "isRejected": rule.state == .rejected,
      "effect": try await effect(of: rule, texts), "search": "\(rule.range.prefix)", "problem": problem,
      "version": rule.version, "reason": reason ?? "", "done": texts.find("ranges.done-\(done)") ?? "",
    ]
    return try pages.page("ranges-one", page, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}

extension RangeRule {
  var address: String {
    let text = range.text.filter { $0 != "+" }.replacing("*", with: "%2A")
    return "\(RangePages.address)/\(text)\(appID == Self.noSource ? "" : "?source=\(appID)")"
  }

  fileprivate func record(at time: Date, _ texts: Localizer) -> TemplateRecord {
    [
      "address": address, "text": range.text, "country": NumberText.country(range.blocks[0].upperBound, texts),
      "treatment": texts("ranges.treatment-\(treatment.rawValue)"), "category": label ?? texts.category(category),
      "size": texts.number(range.size), "members": members > 0 ? texts.number(members) : "",
      "heat": texts.decimal(Decay.heat.value(ofStoredSum: heat, at: time)), "proposedAt": PageTime(proposedAt, texts),
      "decidedBy": [proposedBy, decidedBy].compactMap(\.self).joined(separator: ", "),
      "reason": reason.map(texts.reason) ?? "",
    ]
  }
}

extension RangeService.Effect {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "numbers": texts.number(counts.numbers), "lists": texts.number(lists), "reported": texts.number(counts.reported),
      "listed": texts.number(counts.listed), "protected": texts.number(counts.protected),
      "allowed": texts.number(counts.allowed + counts.decided), "held": texts.number(counts.held),
      "named": texts.number(counts.named), "needsApproval": needsApproval,
    ]
  }
}
