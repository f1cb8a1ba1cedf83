// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Moderation
import Storage

extension CaseComment {
  /// Comments with equal texts: their number, such as `15 ×`, and the reporters by weight, such as
  /// `12 new, 3 established`.
  func record(_ texts: Localizer) -> TemplateRecord {
    let weights = [
      ("established", reporters.full), ("new", reporters.new), ("reduced", reporters.partial - reporters.new),
      ("none", reporters.none),
    ]
    return [
      "text": text, "times": count > 1 ? "\(texts.number(count)) ×" : "",
      "reporters": weights.filter { $0.1 > 0 }.map { texts.count("case.standing.\($0.0)", $0.1) }
        .joined(separator: ", "),
      "category": texts.category(category), "time": PageTime(reportedAt, texts),
    ]
  }

  /// The cursor after a page of comments in an address: the number of comments, microseconds since 1970 and the report's
  /// id.
  var place: String {
    "\(count).\(Int64((reportedAt.timeIntervalSince1970 * 1_000_000).rounded())).\(reportID.text)"
  }
}

extension CommentPlace {
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".")
    guard parts.count == 3, let count = Int64(parts[0]), let microseconds = Int64(parts[1]),
      microseconds.magnitude < 1 << 53, let id = UUID(uuidString: String(parts[2]))
    else { return nil }
    self.init(count: count, reportedAt: Date(timeIntervalSince1970: Double(microseconds) / 1_000_000), reportID: id)
  }
}

extension CaseReporter {
  /// A reporter of the number, without anything that identifies a person.
  func record(_ texts: Localizer) -> TemplateRecord {
    [
      "name": texts("case.reporter", ["pseudonym": pseudonym]), "category": texts.category(category),
      "weight": texts.decimal(Double(weight), places: 2),
      "accuracy": judged == 0
        ? texts("case.accuracy.none")
        : texts("case.accuracy", ["agreed": texts.number(agreed), "judged": texts.number(judged)]),
    ]
  }
}

extension Hold {
  func record(_ texts: Localizer) -> TemplateRecord {
    [
      "rule": texts("case.hold.\(reason.code.name)"), "detail": texts.message(reason),
      "time": PageTime(heldAt, texts), "state": texts(isSettled ? "case.hold.settled" : "case.hold.open"),
    ]
  }
}

extension Appeal {
  func caseRecord(at time: Date, _ texts: Localizer) -> TemplateRecord {
    [
      "rejection": RejectionUndo.value(of: self, at: time), "statement": statement, "time": PageTime(filedAt, texts),
      "state": texts("case.appeal.\(state.rawValue)"),
      "answer": answer.map(texts.reason) ?? "", "isOpen": state == .open,
    ]
  }
}

extension CaseProposal {
  /// A decision that a program proposes, above the form.
  func record(_ texts: Localizer) -> TemplateRecord {
    let what = [
      texts("case.decided.\(values.treatment.rawValue)"), values.label, values.category.map { texts.category($0) },
      values.expiresAt.map { ExpiryField.text($0, texts) },
    ]
    return [
      "title": texts("case.proposal", ["account": account]),
      "what": what.compactMap { $0 }.joined(separator: " · "), "reason": values.reason.map(texts.reason) ?? "",
      "note": values.note ?? "", "time": PageTime(proposedAt, texts),
    ]
  }
}

extension [DecisionEvent] {
  /// The history, newest first. The decision in force can be undone.
  /// - Parameter noticed: the decision that a notice of the page offers to undo.
  func records(standing: UUID?, noticed: UUID?, worker: Actor, _ texts: Localizer) -> [TemplateRecord] {
    let ends = Dictionary(
      compactMap { event in if case .undo(let id) = event.kind { (id, event) } else { nil } }
    ) { first, _ in first }
    return reversed().map { event in
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
      let isStanding = event.id == standing
      let canUndo = isDecision && isStanding && event.id != noticed && DecisionRights.canUndo(event, worker)
      return [
        "id": event.id.text, "time": PageTime(event.time, texts), "moderator": event.decidedBy, "what": what,
        "reason": event.reason.map(texts.reason) ?? "", "note": event.note ?? "", "isStanding": isStanding,
        "canUndo": canUndo,
      ]
    }
  }
}
