// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Curation
import Foundation
import HTTPTypes
import Hummingbird
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
      RangeGroup(
        title: texts("ranges.title-\(state.rawValue)"), hint: texts("ranges.none-\(state.rawValue)"),
        rows: all.filter { $0.state == state }.map { RangeRow($0, at: Date(), texts) })
    }
    return try pages.page("ranges", RangesPage(groups: groups), context)
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
    let page = RangePage(
      proposed, members: try await ranges.members(of: range, at: now), at: now, problem: problem,
      reason: String((reason ?? "").prefix(1_000)), done: texts.find("ranges.done-\(done)") ?? "", texts)
    return try pages.page("ranges-one", page, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}

/// Values of the template `ranges`.
struct RangesPage: Encodable {
  let groups: [RangeGroup]
}

/// Ranges in one state.
struct RangeGroup: Encodable {
  let title: String
  let hint: String
  let rows: [RangeRow]
}

/// A range in a list.
struct RangeRow: Encodable {
  let first: Int64
  let digits: Int16
  let text: String
  let country: String
  let category: String
  let members: String
  let size: String
  let heat: String
  let proposedAt: PageTime
  let decidedBy: String
  let reason: String

  init(_ range: ProposedRange, at time: Date, _ texts: Localizer) {
    first = range.range.first
    digits = range.range.digits
    text = range.range.text
    country = NumberText.country(range.range.numbers.upperBound, texts)
    category = texts.category(range.category)
    members = texts.number(range.members)
    size = texts.number(range.range.size)
    heat = texts.decimal(Decay.heat.value(ofStoredSum: range.heat, at: time))
    proposedAt = PageTime(range.proposedAt, texts)
    decidedBy = range.decidedBy ?? ""
    reason = range.reason ?? ""
  }
}

/// Values of the template `ranges-one`.
struct RangePage: Encodable {
  struct Member: Encodable {
    let digits: Int64
    let number: String
    let reports: String
    let heat: String
    let isPublished: Bool
    let note: String
    /// Whether the range lists the member and it has neither reports nor a note.
    let isQuiet: Bool
  }

  struct Members: Encodable {
    let title: String
    let rows: [Member]
  }

  let row: RangeRow
  let state: String
  let tone: String
  let isApproved: Bool
  let isRejected: Bool
  let published: String
  let reported: String
  let left: String
  /// Quiet members are in `others`, all other members in `members`; each has at most one element.
  let members: [Members]
  let others: [Members]
  let problem: String
  let reason: String
  let done: String

  init(
    _ range: ProposedRange, members: [RangeMember], at time: Date, problem: String, reason: String, done: String,
    _ texts: Localizer
  ) {
    row = RangeRow(range, at: time, texts)
    state = texts("ranges.state-\(range.state.rawValue)")
    tone =
      switch range.state {
      case .proposed: "warn"
      case .approved: "alarm"
      case .rejected: "good"
      }
    isApproved = range.state == .approved
    isRejected = range.state == .rejected
    published = texts.number(members.count(where: \.isPublishedByRange))
    reported = texts.number(members.count { $0.reports > 0 })
    left = texts.number(members.count { !$0.isPublishedByRange })
    let rows = members.map { member in
      let note = Self.note(member, texts)
      return Member(
        digits: member.number, number: NumberText.text(member.number), reports: texts.number(member.reports),
        heat: texts.decimal(member.heat), isPublished: member.isPublishedByRange, note: note,
        isQuiet: member.reports == 0 && member.isPublishedByRange && note.isEmpty)
    }
    let told = rows.filter { !$0.isQuiet }
    let quiet = rows.filter(\.isQuiet)
    self.members = told.isEmpty ? [] : [Members(title: texts("ranges.members"), rows: told)]
    others = quiet.isEmpty ? [] : [Members(title: texts.count("ranges.others", quiet.count), rows: quiet)]
    self.problem = problem
    self.reason = reason
    self.done = done
  }

  private static func note(_ member: RangeMember, _ texts: Localizer) -> String {
    if let protection = member.protection { return texts("ranges.protected", ["reason": texts.message(protection)]) }
    if let decision = member.decision { return texts("search.decided-\(decision.rawValue)") }
    if member.isHeld { return texts("search.held") }
    return member.isListed ? texts("ranges.listed") : ""
  }
}
