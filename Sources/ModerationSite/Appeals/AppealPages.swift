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
  let answers: AppealAnswer
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
    let (number, worker, form, texts) = (
      try context.number, try context.worker, context.form, pages.texts(context)
    )
    // A button that fills in a common answer: nothing is decided.
    if form["fill"] != nil { return try await show(number, context, typed: form) }
    guard let state = form["decision"].flatMap({ DecisionForm.Choice(rawValue: $0) })?.answer else {
      return try await show(
        number, context, typed: form, problem: RuleViolation(.answerOpen, field: "decision"),
        text: texts("appeals.choose"))
    }
    let id = form["id"].flatMap { UUID(uuidString: $0) } ?? UUID()
    let explanation = try await explanations.explain(number.digits, at: Date())
    do {
      switch try await answers.store(state, id: id, about: number, explanation, form, by: worker) {
      case .answered:
        return .redirect(to: "\(Self.address)/\(number.digits)?done=\(state.rawValue)", type: .normal)
      case .changed(let changes):
        return try await show(number, context, typed: form, changes: changes)
      }
    } catch let problem as RuleViolation {
      return try await show(number, context, typed: form, problem: problem)
    }
  }

  /// - Parameters:
  /// - typed: the form to show again; nil for an empty form.
  /// - changes: changes since the moderator loaded the page.
  /// - problem: the rule that the form breaks.
  /// - text: the text of the problem; nil for that of the rule.
  private func show(
    _ number: PhoneNumber, _ context: ServerRequestContext, typed: Form? = nil, changes: [CaseVersion.Change] = [],
    problem: RuleViolation? = nil, text: String? = nil, done: String = ""
  ) async throws -> Response {
    let all = try await appeals.appeals(of: number.digits)
    guard !all.isEmpty else { throw Problem.notFound }
    let texts = pages.texts(context)
    let page = AppealPage(
      number, all, filings: try await appeals.filings(of: number.digits),
      explanation: try await explanations.explain(number.digits, at: Date()),
      answer: AppealAnswerFields(
        all, typed: typed, problem: problem, shortcuts: context.moderator?.shortcuts ?? .standard, texts),
      problem: text ?? Self.text(changes, all, texts) ?? problem.map { texts.message($0) } ?? "",
      done: texts.find("appeals.done-\(done)") ?? "", texts)
    let status: HTTPResponse.Status = !changes.isEmpty ? .conflict : problem != nil ? .unprocessableContent : .ok
    return try pages.page("appeals-one", page, context, status: status)
  }

  /// The text for changes since the page was loaded; nil for none.
  private static func text(_ changes: [CaseVersion.Change], _ appeals: [Appeal], _ texts: Localizer) -> String? {
    guard !changes.isEmpty else { return nil }
    guard appeals.contains(where: { $0.state == .open }) else { return texts("appeals.nothing-open") }
    guard !changes.contains(.appeals) else { return texts("appeals.changed") }
    return (changes.map { texts("case.changed.\($0.rawValue)") } + [texts("case.stale-next")]).joined(separator: " ")
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
