// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
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
  let templates: TemplateStore
  let pages: PageRenderer

  static let address = "/moderation/appeals"
  static let rows = 50

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let isAnswered = request.query("state") == "answered"
    let place = AppealCursor(text: request.query("after"))
    let found =
      isAnswered
      ? try await appeals.answered(before: place, limit: Self.rows + 1)
      : try await appeals.openPage(after: place, limit: Self.rows + 1)
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
      [
        "isAnswered": isAnswered, "openCount": texts.number(try await appeals.openCount()),
        "rows": rows.map { $0.record(listed[$0.number], texts) }, "next": next,
      ], context)
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
    let explanation = try await explanations.explain(number.digits, at: Date())
    do {
      switch try await answers.store(state, id: form.id, about: number, explanation, form, by: worker) {
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
  /// - text: the text of the problem; nil for the text of the rule.
  private func show(
    _ number: PhoneNumber, _ context: ServerRequestContext, typed: Form? = nil, changes: [CaseVersion.Change] = [],
    problem: RuleViolation? = nil, text: String? = nil, done: String = ""
  ) async throws -> Response {
    let all = try await appeals.appeals(of: number.digits)
    guard !all.isEmpty else { throw Problem.notFound }
    let texts = pages.texts(context)
    let text = text ?? Self.text(changes, all, texts) ?? problem.map { texts.message($0) } ?? ""
    let explanation = try await explanations.explain(number.digits, at: Date())
    let filings = try await appeals.filings(of: number.digits)
    let common = CommonAnswers(
      try await templates.version(), category: explanation.listing?.category, all, filings, reader: texts.language,
      pages.catalog)
    let answer = AppealAnswerFields.record(
      all, undone: try await appeals.undoneAnswer(of: number.digits), typed: typed, problem: problem,
      shortcuts: context.moderator?.shortcuts ?? .standard, from: common, texts)
    let page = AppealPage(
      number: number, appeals: all, filings: filings, explanation: explanation)
    let values = page.record(texts).adding([
      "answer": answer, "problem": text,
      // Whether the problem is not one of the answer's text.
      "isOtherProblem": !text.isEmpty && !AppealAnswerFields.concerns(problem),
      "isObjection": all.contains { $0.state == .open && $0.isObjection },
      "done": texts.find("appeals.done-\(done)", ["minutes": RejectionUndo.minutes(texts)]) ?? "",
    ])
    let status: HTTPResponse.Status = !changes.isEmpty ? .conflict : problem != nil ? .unprocessableContent : .ok
    return try pages.page("appeals-one", values, context, status: status)
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

extension Appeal.State {
  /// A class of the style sheet.
  var tone: String {
    switch self {
    case .open: "warn"
    case .upheld: "good"
    case .rejected: "alarm"
    }
  }
}

extension Appeal {
  func record(_ line: SearchHit?, _ texts: Localizer) -> TemplateRecord {
    [
      "digits": number, "number": NumberText.text(number), "country": NumberText.country(number, texts),
      "filedAt": PageTime(filedAt, texts), "state": texts("appeals.state-\(state.rawValue)"), "tone": state.tone,
      "listed": line?.listedAs.map(texts.category) ?? texts("appeals.not-listed"),
      "statement": statement.count > 140 ? "\(statement.prefix(140))…" : statement, "answeredBy": answeredBy ?? "",
    ]
  }
}

/// The appeals about a number.
struct AppealPage {
  let number: PhoneNumber
  let appeals: [Appeal]
  let filings: [FiledStatement]
  let explanation: Explanation

  /// Statements that are not folded.
  static let shown = 3

  /// Values of the template `appeals-one`, without the form.
  func record(_ texts: Localizer) -> TemplateRecord {
    let open = appeals.filter { $0.state == .open }
    let statements = open.flatMap { Self.filings(of: $0, filings, texts) }
    // The statements after the first few are folded, so that the answer form stays near. A line that counts one more
    // statement would be as long as the statement.
    let shown = statements.count == Self.shown + 1 ? statements.count : Self.shown
    let folded = Array(statements.dropFirst(shown))
    return [
      "digits": number.digits, "number": NumberText.unbroken(number.digits), "national": number.formatted(.national),
      "country": explanation.country.map(texts.country) ?? "–",
      "account": explanation.lines.map { texts.message($0) },
      // The id of the decision that upholds the appeals.
      "id": UUID().text, "version": CaseVersion(explanation).text, "isOpen": !open.isEmpty,
      "filings": Array(statements.prefix(shown)), "moreFilings": folded,
      "more": folded.isEmpty ? "" : texts.count("appeals.more", folded.count),
      "earlier": appeals.filter { $0.state != .open }.reversed().map { appeal in
        [
          "state": texts("appeals.state-\(appeal.state.rawValue)"), "tone": appeal.state.tone,
          "answeredAt": appeal.answeredAt.map { PageTime($0, texts) }, "answeredBy": appeal.answeredBy ?? "",
          "answer": appeal.answer.map(texts.reason) ?? "", "filings": Self.filings(of: appeal, filings, texts),
          "rejection": RejectionUndo.value(of: appeal, at: Date()),
        ] as TemplateRecord
      },
    ]
  }

  /// The statement of each person. An appeal from the command line has only its own statement.
  static func filings(of appeal: Appeal, _ filings: [FiledStatement], _ texts: Localizer) -> [TemplateRecord] {
    func record(_ statement: String, _ filedAt: Date, _ filing: FiledStatement?) -> TemplateRecord {
      let language = filing?.language.flatMap(Language.init)
      return [
        "statement": statement, "filedAt": PageTime(filedAt, texts), "contact": filing?.contact ?? "",
        "language": language?.name ?? "", "code": language?.rawValue ?? "",
      ]
    }
    let own = filings.filter { $0.appealID == appeal.id }
    guard !own.isEmpty else { return [record(appeal.statement, appeal.filedAt, nil)] }
    return own.map { record($0.statement, $0.filedAt, $0) }
  }
}
