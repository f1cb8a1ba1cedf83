import Curation
import Foundation
import PhoneNumbers
import Storage

/// Values of the template `number`.
struct NumberPage {
  struct Part {
    let category: String
    let heat: String
    let evidence: String
    let reports: Int64
    let reporters: Int
  }

  struct Event {
    let time: PageTime
    let moderator: String
    let what: String
    let reason: String
    let note: String
  }

  let number: String
  let national: String
  let region: String
  let account: [String]
  let parts: [Part]
  let history: [Event]

  init(number: PhoneNumber, explanation: Explanation, history: [RulingEvent], texts: Texts) {
    self.number = number.formatted(.international)
    national = number.formatted(.national)
    region = number.region ?? texts("number.nowhere")
    account = explanation.account
    parts = (explanation.score?.parts ?? []).sorted { $0.heat > $1.heat }.map { part in
      Part(
        category: texts.category(part.category), heat: Figure.decimal(part.heat),
        evidence: Figure.decimal(part.evidence),
        reports: part.reports, reporters: part.reporters)
    }
    self.history = history.reversed().map { event in
      Event(
        time: PageTime(event.time), moderator: event.moderator, what: Self.what(event, texts),
        reason: event.reason ?? "", note: event.note ?? "")
    }
  }

  private static func what(_ event: RulingEvent, _ texts: Texts) -> String {
    switch event.kind {
    case .undo: texts("number.undo")
    case .ruling(let decision):
      [texts("number.\(decision.rawValue)"), event.label].compactMap { $0 }.joined(separator: " ")
    }
  }
}
