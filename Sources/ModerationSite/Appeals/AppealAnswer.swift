// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Localization
import Moderation
import PageTemplates
import PhoneNumbers
import Storage

/// The fields of the answer to the appeals about a number, on the page of the case and on the page of the appeals.
enum AppealAnswerFields {
  /// - Parameters:
  ///   - appeals: all appeals about the number.
  ///   - typed: the form to show again; nil for an empty form.
  ///   - problem: the rule that the form breaks.
  static func record(
    _ appeals: [Appeal], typed: Form?, problem: RuleViolation?, shortcuts: ShortcutKeys, _ texts: Localizer
  ) -> TemplateRecord {
    // The button of a common answer fills the text field.
    let answers = (1...4).map { (number: $0, text: texts("case.answer.\($0)")) }
    let filled = typed?["fill"].flatMap { Int($0) }
    let words = answers.first { $0.number == filled }?.text ?? typed?["words"] ?? ""
    return [
      "open": appeals.filter { $0.state == .open }.map(\.id.uuidString).joined(separator: " "),
      "words": String(words.prefix(4_000)),
      "answers": answers.map { ["number": $0.number, "text": $0.text] as TemplateRecord },
      "isWrong": concerns(problem), "key": shortcuts[.text],
    ]
  }

  /// Whether a form is refused because of its answer.
  static func concerns(_ problem: RuleViolation?) -> Bool {
    problem.map { ["answer", "answer_missing", "words"].contains($0.field) } ?? false
  }
}

/// Stores the answer to the open appeals about a number. The page of the case and the page of the appeals
/// send the same form.
struct AppealAnswer: Sendable {
  enum Outcome: Equatable {
    case answered
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
    by worker: QueueWorker
  ) async throws -> Outcome {
    guard let seen = form["version"].flatMap({ CaseVersion($0) }) else { return .changed([.decision]) }
    let changes = seen.changes(to: CaseVersion(explanation))
    guard changes.isEmpty else { return .changed(changes) }
    let (words, time) = (form.text("words"), Date())
    guard state == .upheld || words != nil else { throw RuleViolation(.answerMissing, field: "answer_missing") }
    let open = Set((form["open"] ?? "").split(separator: " ").compactMap { UUID(uuidString: String($0)) })
    let outcome = try await appeals.settle(
      number.digits, expecting: open, as: state, by: worker.account, role: worker.role, answer: words, decisionID: id,
      at: time)
    guard case .answered = outcome else { return .changed([.appeals]) }
    await queueCounts.forget()
    if let note = form.text("note") {
      try await cases.note(note, about: number.digits, id: id, by: worker, at: time)
    }
    return .answered
  }
}
