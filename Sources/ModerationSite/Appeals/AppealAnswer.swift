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
    from common: [TextTemplates.Text], _ texts: Localizer
  ) -> TemplateRecord {
    // The button of a common answer fills the text field.
    let answers = common.enumerated().map { (number: $0 + 1, text: $1.text(.answer, texts)) }
    let filled = typed?["fill"].flatMap { Int($0) }
    // Without scripts, the button adds its text to what was typed.
    let written = [typed?.text("words") ?? (typed == nil ? undone : nil), answers.first { $0.number == filled }?.text]
    let words = written.compactMap(\.self).joined(separator: "\n")
    return [
      "open": appeals.filter { $0.state == .open }.map(\.id.uuidString).joined(separator: " "),
      "words": words,
      "answers": answers.map { ["number": $0.number, "text": $0.text] as TemplateRecord },
      "isWrong": concerns(problem), "key": shortcuts[.text],
    ]
  }

  /// Whether a form is refused because of its answer.
  static func concerns(_ problem: RuleViolation?) -> Bool {
    problem.map { ["answer", "answer_missing", "words"].contains($0.field) } ?? false
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
