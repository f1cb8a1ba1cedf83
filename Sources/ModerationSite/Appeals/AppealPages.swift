// SPDX-License-Identifier: Apache-2.0

import Localization
import HTTPServer
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Storage

/// `/moderation/appeals`: appeals of number owners, and their answers.
struct AppealPages: Sendable {
  let appeals: AppealStore
  let search: SearchStore
  let explanations: ExplanationStore
  let pages: PageRenderer

  static let address = "/moderation/appeals"
  static let rows = 50

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let isAnswered = request.query("state") == "answered"
    let place = AppealCursor(text: request.query("after"))
    let found =
      isAnswered
      ? try await appeals.answered(before: place, limit: Self.rows + 1)
      : try await appeals.open(after: place, limit: Self.rows + 1)
    let rows = Array(found.prefix(Self.rows))
    let lines = try await search.lines(of: Array(Set(rows.map(\.number))))
    let listed = Dictionary(lines.map { ($0.number, $0) }) { first, _ in first }
    let texts = pages.texts(context)
    var next = ""
    if found.count > Self.rows, let last = rows.last {
      next = Query.address(
        Self.address, ["state": isAnswered ? "answered" : "", "after": AppealCursor(last, isAnswered).text])
    }
    return try pages.page(
      "appeals",
      AppealsPage(
        isAnswered: isAnswered, openCount: texts.number(try await appeals.openCount()),
        rows: rows.map { AppealRow($0, listed[$0.number], texts) }, next: next), context)
  }

  @Sendable func one(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(try context.number, context, done: request.query("done"))
  }

  @Sendable func answer(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let number = try context.number
    guard let moderator = context.moderator else { throw Problem.notFound }
    let texts = pages.texts(context)
    let words = context.form.text("words")
    let state: Appeal.State? =
      switch context.form["answer"] {
      case "uphold": .upheld
      case "reject": .rejected
      default: nil
      }
    guard let state else { return try await show(number, context, problem: texts("appeals.choose"), words: words) }
    guard state == .upheld || words != nil else {
      return try await show(number, context, problem: texts("appeals.words-needed"), words: words)
    }
    let seen = Set((context.form["open"] ?? "").split(separator: " ").compactMap { UUID(uuidString: String($0)) })
    do {
      let outcome = try await appeals.settle(
        number.digits, expecting: seen, as: state, by: moderator.name, role: moderator.role, answer: words, at: Date())
      switch outcome {
      case .answered:
        return .redirect(to: "\(Self.address)/\(number.digits)?done=\(state.rawValue)", type: .normal)
      case .nothingOpen:
        return try await show(number, context, problem: texts("appeals.nothing-open"), words: words, .conflict)
      case .changed:
        return try await show(number, context, problem: texts("appeals.changed"), words: words, .conflict)
      }
    } catch is RuleViolation {
      return try await show(number, context, problem: texts("appeals.words-long"), words: words)
    }
  }

  private func show(
    _ number: PhoneNumber, _ context: ServerRequestContext, problem: String = "", words: String? = nil,
    done: String = "",
    _ status: HTTPResponse.Status? = nil
  ) async throws -> Response {
    let all = try await appeals.appeals(of: number.digits)
    guard !all.isEmpty else { throw Problem.notFound }
    let texts = pages.texts(context)
    let page = AppealPage(
      number, all, filings: try await appeals.filings(of: number.digits),
      explanation: try await explanations.explain(number.digits, at: Date()), problem: problem,
      words: String((words ?? "").prefix(4_000)), done: texts.find("appeals.done-\(done)") ?? "", texts)
    return try pages.page(
      "appeals-one", page, context, status: status ?? (problem.isEmpty ? .ok : .unprocessableContent))
  }
}

extension AppealCursor {
  /// - Parameter isAnswered: whether the list is one of answered appeals.
  init(_ appeal: Appeal, _ isAnswered: Bool) {
    self.init(
      time: isAnswered ? appeal.answeredAt ?? appeal.filedAt : appeal.filedAt, number: appeal.number, id: appeal.id)
  }

  /// The cursor in an address: microseconds since 1970, the number, the id.
  var text: String { "\(Int64((time.timeIntervalSince1970 * 1_000_000).rounded()))_\(number)_\(id.uuidString)" }

  init?(text: String) {
    let parts = text.split(separator: "_")
    guard parts.count == 3, let micros = Int64(parts[0]), micros.magnitude < 1 << 53,
      let number = Int64(parts[1]), let id = UUID(uuidString: String(parts[2]))
    else { return nil }
    self.init(time: Date(timeIntervalSince1970: Double(micros) / 1_000_000), number: number, id: id)
  }
}
