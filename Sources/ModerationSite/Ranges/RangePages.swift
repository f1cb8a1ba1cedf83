// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PageTemplates
import Storage

/// `/moderation/ranges`: ranges of numbers that are used together. The page of a range lists its members.
struct RangePages: Sendable {
  let ranges: RangeStore
  let pages: PageRenderer

  static let address = "/moderation/ranges"

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let texts = pages.texts(context)
    let all = try await ranges.ranges()
    let groups = [ProposedRange.State.proposed, .approved, .rejected].map { state in
      [
        "title": texts("ranges.title-\(state.rawValue)"), "hint": texts("ranges.none-\(state.rawValue)"),
        "rows": all.filter { $0.state == state }.map { $0.record(at: Date(), texts) },
      ] as TemplateRecord
    }
    return try pages.page("ranges", ["groups": groups], context)
  }

  @Sendable func one(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(try range(context), context, done: request.query("done"))
  }

  @Sendable func decide(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let range = try range(context)
    let texts = pages.texts(context)
    guard let moderator = context.moderator else { throw Problem.notFound }
    let reason = context.form.text("reason")
    let decision = context.form["decision"]
    guard decision == "approve" || decision == "reject" else {
      return try await show(range, context, problem: texts("ranges.choose"), reason: reason)
    }
    guard let reason else { return try await show(range, context, problem: texts("ranges.reason-needed")) }
    do {
      let isThere = try await ranges.decide(
        range, isApproved: decision == "approve", by: moderator.name, role: moderator.role, reason: reason, at: Date())
      guard isThere else { throw Problem.notFound }
    } catch is RuleViolation {
      return try await show(range, context, problem: texts("ranges.reason-long"), reason: reason)
    }
    return .redirect(to: "\(Self.address)/\(range.first)/\(range.digits)?done=\(decision ?? "")", type: .normal)
  }

  private func range(_ context: ServerRequestContext) throws -> NumberRange {
    guard let first = context.parameters.get("first", as: Int64.self), (1...999_999_999_999_999).contains(first),
      let digits = context.parameters.get("digits", as: Int16.self), digits == 1 || digits == 2
    else { throw Problem.notFound }
    return NumberRange(around: first, digits: digits)
  }

  private func show(
    _ range: NumberRange, _ context: ServerRequestContext, problem: String = "", reason: String? = nil,
    done: String = ""
  ) async throws -> Response {
    guard let proposed = try await ranges.range(range) else { throw Problem.notFound }
    let texts = pages.texts(context)
    let now = Date()
    let members = try await ranges.members(of: range, at: now)
    let page = proposed.record(members, at: now, texts).adding([
      "problem": problem, "reason": String((reason ?? "").prefix(1_000)),
      "done": texts.find("ranges.done-\(done)") ?? "",
    ])
    return try pages.page("ranges-one", page, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}

extension ProposedRange {
  /// A range in a list.
  func record(at time: Date, _ texts: Localizer) -> TemplateRecord {
    [
      "first": range.first, "digits": range.digits, "text": range.text,
      "country": NumberText.country(range.numbers.upperBound, texts), "category": texts.category(category),
      "members": texts.number(members), "size": texts.number(range.size),
      "heat": texts.decimal(Decay.heat.value(ofStoredSum: heat, at: time)), "proposedAt": PageTime(proposedAt, texts),
      "decidedBy": decidedBy ?? "", "reason": reason ?? "",
    ]
  }

  /// Values of the template `ranges-one`, without the form. The members that the range lists and that have neither
  /// reports nor a note are in `others`.
  func record(_ members: [RangeMember], at time: Date, _ texts: Localizer) -> TemplateRecord {
    let tone =
      switch state {
      case .proposed: "warn"
      case .approved: "alarm"
      case .rejected: "good"
      }
    let quiet = members.filter { $0.reports == 0 && $0.isPublishedByRange && $0.note(texts).isEmpty }
    let quietNumbers = Set(quiet.map(\.number))
    func table(_ title: String, _ members: [RangeMember]) -> TemplateRecord? {
      members.isEmpty ? nil : ["title": title, "rows": members.map { $0.record(texts) }]
    }
    return [
      "row": record(at: time, texts), "state": texts("ranges.state-\(state.rawValue)"), "tone": tone,
      "isApproved": state == .approved, "isRejected": state == .rejected,
      "published": texts.number(members.count(where: \.isPublishedByRange)),
      "reported": texts.number(members.count { $0.reports > 0 }),
      "left": texts.number(members.count { !$0.isPublishedByRange }),
      "members": table(texts("ranges.members"), members.filter { !quietNumbers.contains($0.number) }),
      "others": table(texts.count("ranges.others", quiet.count), quiet),
    ]
  }
}

extension RangeMember {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "digits": number, "number": NumberText.text(number), "reports": texts.number(reports),
      "heat": texts.decimal(heat), "isPublished": isPublishedByRange, "note": note(texts),
    ]
  }

  fileprivate func note(_ texts: Localizer) -> String {
    if let protection { return texts("ranges.protected", ["reason": texts.message(protection)]) }
    if let decision { return texts("search.decided-\(decision.rawValue)") }
    if isHeld { return texts("search.held") }
    return isListed ? texts("ranges.listed") : ""
  }
}
