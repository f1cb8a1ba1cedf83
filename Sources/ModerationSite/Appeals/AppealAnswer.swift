// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Moderation
import PhoneNumbers
import Storage

/// The fields of the answer to the appeals about a number, on the page of the case and on the page of the appeals.
enum AppealAnswerFields {
  /// - Parameters:
  ///   - appeals: all appeals about the number.
  ///   - undone: the text of a rejection that was undone, for a form without one.
  ///   - typed: the form to show again; nil for a new form.
  ///   - problem: the rule that the form breaks.
  ///   - common: the answers to choose from.
  static func record(
    _ appeals: [Appeal], undone: String?, typed: Form?, problem: RuleViolation?, shortcuts: ShortcutKeys,
    from common: CommonAnswers, _ texts: Localizer
  ) -> TemplateRecord {
    // The button of a common answer fills the text field.
    let answers = common.answers
    let filled = typed?["fill"].flatMap { Int($0) }
    // Without scripts, the button adds its text to what was typed.
    let written = [typed?.text("words") ?? (typed == nil ? undone : nil), answers.first { $0.number == filled }?.text]
    let words = written.compactMap(\.self).joined(separator: "\n")
    return [
      "open": appeals.filter { $0.state == .open }.map(\.id.uuidString).joined(separator: " "),
      "words": words,
      "language": common.owner?.name ?? "", "code": common.owner?.rawValue ?? "",
      "groups": common.groups(for: typed?["decision"], texts),
      "isWrong": concerns(problem), "key": shortcuts[.text],
    ]
  }

  /// Whether a form is refused because of its answer.
  static func concerns(_ problem: RuleViolation?) -> Bool {
    problem.map { ["answer", "answer_missing", "words"].contains($0.field) } ?? false
  }
}

/// The answers to choose from: those in the owner's language first, then the team's in the reader's.
struct CommonAnswers {
  typealias Answer = (number: Int, text: String, language: Language, outcome: TextTemplates.Outcome?)

  /// The language of most statements in open appeals; nil where it is unknown.
  let owner: Language?
  /// Their numbers stay the same whatever is chosen.
  let answers: [Answer]

  /// - Parameter category: of the case or the listing.
  init(
    _ templates: TextTemplates, category: ReportCategory?, _ appeals: [Appeal], _ filings: [FiledStatement],
    reader: Language, _ catalog: MessageCatalog
  ) {
    let open = Set(appeals.filter { $0.state == .open }.map(\.id))
    let languages = filings.filter { open.contains($0.appealID) }.compactMap { $0.language.flatMap(Language.init) }
    let most = Dictionary(languages.map { ($0, 1) }) { $0 + $1 }.values.max()
    let owner = languages.first { language in languages.count { $0 == language } == most }
    func texts(in language: Language) -> [TextTemplates.Text] {
      templates[.init(.answer, language: language.rawValue, category: category)]
    }
    let first = owner ?? reader
    var all = texts(in: first).map { ($0.text(.answer, catalog[first]), first, $0.outcome) }
    if first != reader {
      // Built-in texts are offered in the owner's language already.
      all += texts(in: reader).filter { if case .own = $0 { true } else { false } }.map {
        ($0.value, reader, $0.outcome)
      }
    }
    self.owner = owner
    answers = all.enumerated().map { ($0 + 1, $1.0, $1.1, $1.2) }
  }

  /// The answers by outcome, with the answers for the chosen one first.
  func groups(for decision: String?, _ texts: Localizer) -> [TemplateRecord] {
    let outcomes = TextTemplates.Outcome.allCases.sorted {
      ($0.rawValue == decision ? 0 : 1) < ($1.rawValue == decision ? 0 : 1)
    }
    return (outcomes + [nil]).compactMap { outcome in
      let those = answers.filter { $0.outcome == outcome }
      guard !those.isEmpty else { return nil }
      return [
        "outcome": outcome?.rawValue ?? "", "title": texts("templates.outcome.\(outcome?.rawValue ?? "either")"),
        "answers": those.map {
          ["number": $0.number, "text": $0.text, "code": $0.language.rawValue] as TemplateRecord
        },
      ]
    }
  }
}

/// The button that undoes a rejection, while the owner does not see it.
enum RejectionUndo {
  /// The value of the button: when the appeal was rejected, in microseconds since 1970; empty where it is too late.
  static func value(of appeal: Appeal, at time: Date) -> String {
    guard appeal.isRejectedJustNow(at: time), let answeredAt = appeal.answeredAt else { return "" }
    return value(answeredAt)
  }

  /// The minutes until the owner sees a rejection.
  static func minutes(_ texts: Localizer) -> String { texts.number(Int(Appeal.undoWindow) / 60) }

  /// Rounded as it is stored, from full seconds since 2001: seconds since 1970 often give another microsecond.
  static func value(_ answeredAt: Date) -> String {
    let seconds = answeredAt.timeIntervalSinceReferenceDate
    let whole = seconds.rounded(.down)
    let microseconds = Int64(((seconds - whole) * 1_000_000).rounded())
    return "\((Int64(whole) + 978_307_200) * 1_000_000 + microseconds)"
  }
}

/// Stores the answer to the open appeals about a number. The page of the case and the page of the appeals
/// send the same form.
struct AppealAnswer: Sendable {
  enum Outcome: Equatable {
    case answered(Date)
    /// The number has changed since the page was shown; nothing was stored.
    case changed([CaseVersion.Change])
  }

  let appeals: AppealService
  let cases: CaseStore
  let queueCounts: QueueCountCache

  /// - Parameters:
  /// - id: of the decision that upholds the appeals.
  /// - explanation: the number's present state.
  /// - Throws: `RuleViolation` for a form that is refused.
  func store(
    _ state: Appeal.State, id: UUID, about number: PhoneNumber, _ explanation: Explanation, _ form: Form,
    by worker: Actor
  ) async throws -> Outcome {
    guard let seen = form["version"].flatMap({ CaseVersion($0) }) else { return .changed([.decision]) }
    let changes = seen.changes(to: CaseVersion(explanation))
    guard changes.isEmpty else { return .changed(changes) }
    let (words, time) = (form.text("words"), Date())
    guard state == .upheld || words != nil else { throw RuleViolation(.answerMissing, field: "answer_missing") }
    let open = Set((form["open"] ?? "").split(separator: " ").compactMap { UUID(uuidString: String($0)) })
    let outcome = try await appeals.settle(
      number.digits, expecting: open, as: state, by: worker, answer: words, decisionID: id,
      at: time)
    guard case .answered = outcome else { return .changed([.appeals]) }
    await queueCounts.forget()
    if let note = form.text("note") {
      try await cases.note(note, about: number.digits, id: id, by: worker, at: time)
    }
    return .answered(time)
  }

  /// Undoes a rejection while its owner does not see it.
  /// - Parameter rejection: the value of the button; see ``RejectionUndo``.
  /// - Returns: false for a form of another action, and where it is too late.
  func undo(_ rejection: String?, about number: PhoneNumber, by worker: Actor) async throws -> Bool {
    guard let time = rejection.flatMap({ Int64($0) }), time.magnitude < 1 << 53 else { return false }
    let answeredAt = Date(timeIntervalSince1970: Double(time) / 1_000_000)
    let isUndone = try await appeals.undoRejection(number.digits, answeredAt: answeredAt, by: worker, at: Date())
    if isUndone { await queueCounts.forget() }
    return isUndone
  }
}
