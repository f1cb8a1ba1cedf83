// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
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

/// Values of the template `appeals`.
struct AppealsPage: Encodable {
  let isAnswered: Bool
  let openCount: String
  let rows: [AppealRow]
  let next: String
}

/// A row of the list.
struct AppealRow: Encodable {
  let digits: Int64
  let number: String
  let country: String
  let filedAt: PageTime
  let state: String
  let tone: String
  let listed: String
  let statement: String
  let answeredBy: String

  init(_ appeal: Appeal, _ line: SearchHit?, _ texts: Localizer) {
    digits = appeal.number
    number = NumberText.text(appeal.number)
    country = NumberText.country(appeal.number, texts)
    filedAt = PageTime(appeal.filedAt, texts)
    state = texts("appeals.state-\(appeal.state.rawValue)")
    tone = AppealPage.tone(appeal.state)
    listed = line?.listedAs.map(texts.category) ?? texts("appeals.not-listed")
    statement = appeal.statement.count > 140 ? "\(appeal.statement.prefix(140))…" : appeal.statement
    answeredBy = appeal.answeredBy ?? ""
  }
}

/// Values of the template `appeals-one`.
struct AppealPage: Encodable {
  struct Filing: Encodable {
    let statement: String
    let filedAt: PageTime
    let contact: String
  }

  struct Earlier: Encodable {
    let state: String
    let tone: String
    let answeredAt: [PageTime]
    let answeredBy: String
    let answer: String
    let filings: [Filing]
  }

  let digits: Int64
  let number: String
  let national: String
  let country: String
  let account: [String]
  /// The id of the decision that upholds the appeals.
  let id: String
  let version: String
  let answer: AppealAnswerFields
  let isOpen: Bool
  let filings: [Filing]
  /// The statements after the first few, and a text with their count. They are folded, so that the answer form stays
  /// near.
  let moreFilings: [Filing]
  let more: String
  let earlier: [Earlier]
  let problem: String
  /// Whether the problem is not one of the answer's text.
  let isOtherProblem: Bool
  let done: String

  init(
    _ number: PhoneNumber, _ appeals: [Appeal], filings: [FiledStatement], explanation: Explanation,
    answer: AppealAnswerFields, problem: String, done: String, _ texts: Localizer
  ) {
    digits = number.digits
    self.number = NumberText.unbroken(number.digits)
    national = number.formatted(.national)
    country = explanation.country.map(texts.country) ?? "–"
    account = explanation.lines.map { texts.message($0) }
    let openOnes = appeals.filter { $0.state == .open }
    id = UUID().uuidString.lowercased()
    version = CaseVersion(explanation).text
    self.answer = answer
    isOpen = !openOnes.isEmpty
    let statements = openOnes.flatMap { Self.filings($0, filings, texts) }
    // A line that counts one more statement would be as long as the statement.
    let shown = statements.count == Self.shown + 1 ? statements.count : Self.shown
    self.filings = Array(statements.prefix(shown))
    moreFilings = Array(statements.dropFirst(shown))
    more = moreFilings.isEmpty ? "" : texts.count("appeals.more", moreFilings.count)
    earlier = appeals.filter { $0.state != .open }.reversed().map { appeal in
      Earlier(
        state: texts("appeals.state-\(appeal.state.rawValue)"), tone: Self.tone(appeal.state),
        answeredAt: appeal.answeredAt.map { [PageTime($0, texts)] } ?? [], answeredBy: appeal.answeredBy ?? "",
        answer: appeal.answer ?? "", filings: Self.filings(appeal, filings, texts))
    }
    self.problem = problem
    isOtherProblem = !problem.isEmpty && !answer.isWrong
    self.done = done
  }

  private static let shown = 3

  static func tone(_ state: Appeal.State) -> String {
    switch state {
    case .open: "warn"
    case .upheld: "good"
    case .rejected: "alarm"
    }
  }

  /// The statement of each person. An appeal from the command line has only its own statement.
  private static func filings(_ appeal: Appeal, _ all: [FiledStatement], _ texts: Localizer) -> [Filing] {
    let own = all.filter { $0.appealID == appeal.id }
    guard !own.isEmpty else {
      return [Filing(statement: appeal.statement, filedAt: PageTime(appeal.filedAt, texts), contact: "")]
    }
    return own.map { Filing(statement: $0.statement, filedAt: PageTime($0.filedAt, texts), contact: $0.contact ?? "") }
  }
}
