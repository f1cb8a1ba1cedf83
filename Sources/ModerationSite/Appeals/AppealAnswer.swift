// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Localization
import PhoneNumbers
import Storage

/// The fields of the answer to the appeals about a number, on the page of the case and on that of the appeals.
struct AppealAnswerFields: Encodable {
  /// A common answer; its button fills the text field.
  struct Common: Encodable {
    let number: Int
    let text: String
  }

  /// The ids of the open appeals that an answer closes.
  let open: String
  /// The answer.
  let words: String
  let answers: [Common]
  /// Whether the answer is refused.
  let isWrong: Bool
  /// The key that leads to the text field; empty for none.
  let key: String

  /// - Parameters:
  /// - appeals: all appeals about the number.
  /// - typed: the form to show again; nil for an empty form.
  /// - problem: the rule that the form breaks.
  init(
    _ appeals: [Appeal], typed: Form?, problem: RuleViolation?, shortcuts: ShortcutKeys, _ texts: Localizer
  ) {
    open = appeals.filter { $0.state == .open }.map(\.id.uuidString).joined(separator: " ")
    answers = (1...4).map { Common(number: $0, text: texts("case.answer.\($0)")) }
    let filled = typed?["fill"].flatMap { Int($0) }
    words = String((answers.first { $0.number == filled }?.text ?? typed?["words"] ?? "").prefix(4_000))
    isWrong = problem.map { ["answer", "answer_missing", "words"].contains($0.field) } ?? false
    key = shortcuts[.text]
  }
}

/// Stores the answer to the open appeals about a number. The page of the case and that of the appeals send the same form.
struct AppealAnswer: Sendable {
  enum Outcome: Equatable {
    case answered
    /// The number has changed since the page was shown; nothing was stored.
    case changed([CaseVersion.Change])
  }

  let appeals: AppealStore
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
