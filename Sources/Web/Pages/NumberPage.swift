import Curation
import Foundation
import PhoneNumbers
import Storage
import Timestamps

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
    let time: String
    let moderator: String
    let what: String
    let reason: String
    let note: String
  }

  let moderator: String
  let number: String
  let national: String
  let region: String
  let account: [String]
  let parts: [Part]
  let history: [Event]

  init(moderator: String, number: PhoneNumber, explanation: Explanation, history: [RulingEvent]) {
    self.moderator = moderator
    self.number = number.formatted(.international)
    national = number.formatted(.national)
    region = number.region ?? "no country"
    account = explanation.account
    parts = (explanation.score?.parts ?? []).sorted { $0.heat > $1.heat }.map { part in
      Part(
        category: part.category.label, heat: Figure.decimal(part.heat), evidence: Figure.decimal(part.evidence),
        reports: part.reports, reporters: part.reporters)
    }
    self.history = history.reversed().map { event in
      Event(
        time: Timestamp.format(event.time), moderator: event.moderator, what: Self.what(event),
        reason: event.reason ?? "", note: event.note ?? "")
    }
  }

  private static func what(_ event: RulingEvent) -> String {
    switch event.kind {
    case .undo: "undid a ruling"
    case .ruling(let decision): [decision.rawValue, event.label].compactMap { $0 }.joined(separator: " ")
    }
  }
}
