// SPDX-License-Identifier: Apache-2.0

import Moderation
import Localization
import Curation
import Foundation
import Storage

/// Comments of the same text.
struct CommentGroup: Encodable {
  let text: String
  /// How many comments have the text, such as `15 ×`; empty for one.
  let times: String
  /// The reporters by weight, such as `12 new, 3 established`; empty if no vote is stored.
  let reporters: String
  let category: String
  let time: PageTime

  init(_ comment: CaseComment, _ texts: Localizer) {
    text = comment.text
    times = comment.count > 1 ? "\(texts.number(comment.count)) ×" : ""
    let weights = comment.reporters
    reporters = [
      ("established", weights.full), ("new", weights.new), ("reduced", weights.partial - weights.new),
      ("none", weights.none),
    ].filter { $0.1 > 0 }.map { texts.count("case.standing.\($0.0)", $0.1) }.joined(separator: ", ")
    category = texts.category(comment.category)
    time = PageTime(comment.reportedAt, texts)
  }

  /// The cursor after a page of comments in an address: the number of comments, microseconds since 1970 and the report's
  /// id.
  static func place(_ comment: CaseComment) -> String {
    let microseconds = Int64((comment.reportedAt.timeIntervalSince1970 * 1_000_000).rounded())
    return "\(comment.count).\(microseconds).\(comment.reportID.uuidString.lowercased())"
  }

  static func place(_ text: String) -> CommentPlace? {
    let parts = text.split(separator: ".")
    guard parts.count == 3, let count = Int64(parts[0]), let microseconds = Int64(parts[1]),
      microseconds.magnitude < 1 << 53, let id = UUID(uuidString: String(parts[2]))
    else { return nil }
    return CommentPlace(
      count: count, reportedAt: Date(timeIntervalSince1970: Double(microseconds) / 1_000_000), reportID: id)
  }
}

/// A reporter of the number, without anything that identifies a person.
struct CaseReporterRow: Encodable {
  let name: String
  let category: String
  let weight: String
  let accuracy: String

  init(_ reporter: CaseReporter, _ texts: Localizer) {
    name = texts("case.reporter", ["pseudonym": reporter.pseudonym])
    category = texts.category(reporter.category)
    weight = texts.decimal(Double(reporter.weight), places: 2)
    accuracy =
      reporter.judged == 0
      ? texts("case.accuracy.none")
      : texts("case.accuracy", ["agreed": texts.number(reporter.agreed), "judged": texts.number(reporter.judged)])
  }
}

/// A hold on the number, now or earlier.
struct CaseHold: Encodable {
  let rule: String
  let detail: String
  let time: PageTime
  let state: String

  init(_ hold: Hold, _ texts: Localizer) {
    rule = texts("case.hold.\(hold.reason.code.rawValue)")
    detail = texts.message(hold.reason)
    time = PageTime(hold.heldAt, texts)
    state = texts(hold.isSettled ? "case.hold.settled" : "case.hold.open")
  }
}

/// An appeal of the number's owner.
struct CaseAppeal: Encodable {
  let statement: String
  let time: PageTime
  let state: String
  let answer: String
  let isOpen: Bool

  init(_ appeal: Appeal, _ texts: Localizer) {
    statement = appeal.statement
    time = PageTime(appeal.filedAt, texts)
    state = texts("case.appeal.\(appeal.state.rawValue)")
    answer = appeal.answer ?? ""
    isOpen = appeal.state == .open
  }
}

/// A row of the history of decisions.
struct CaseDecision: Encodable {
  let id: String
  let time: PageTime
  let moderator: String
  let what: String
  let reason: String
  let note: String
  let isStanding: Bool
  let canUndo: Bool

  /// All decisions, newest first. The one in force can be undone.
  /// - Parameter noticed: the decision that a notice of the page offers to undo.
  static func all(
    _ events: [DecisionEvent], standing: UUID?, noticed: String?, worker: QueueWorker, _ texts: Localizer
  ) -> [CaseDecision] {
    let ends = Dictionary(
      events.compactMap { event in if case .undo(let id) = event.kind { (id, event) } else { nil } }
    ) { first, _ in first }
    return events.reversed().map { event in
      var isDecision = false
      var what = event.expiresAt.map { texts("case.expired-on", ["day": texts.day($0)]) } ?? texts("case.undid")
      if case .decision(let treatment) = event.kind {
        isDecision = true
        let end = ends[event.id].map { texts($0.expiresAt == nil ? "case.undone" : "case.expired") }
        what = [
          texts("case.decided.\(treatment.rawValue)"), event.label, event.category.map { texts.category($0) },
          end ?? event.expiresAt.map { ExpiryField.text($0, texts) },
        ].compactMap { $0 }.joined(separator: " · ")
      }
      let id = event.id.uuidString.lowercased()
      return CaseDecision(
        id: id, time: PageTime(event.time, texts), moderator: event.decidedBy, what: what,
        reason: event.reason ?? "", note: event.note ?? "", isStanding: event.id == standing,
        canUndo: isDecision && event.id == standing && id != noticed && DecisionRights.canUndo(event, worker))
    }
  }
}

/// A moderator's note.
struct CaseNoteRow: Encodable {
  let account: String
  let text: String
  let time: PageTime
}
