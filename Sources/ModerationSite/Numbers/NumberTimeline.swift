// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Publishing
import Storage

/// The history of a number in one time line: reports and calls by day, decisions, publications and appeals.
struct NumberTimeline {
  /// Events of a page; older ones are left out.
  static let most = 500

  let file: CaseFile
  /// All days with reports or calls.
  let days: [CaseDay]
  let history: PackHistory?
  let worker: Actor

  private typealias Event = (time: Date, kind: String, text: String, by: String)

  /// The events, the newest first.
  func rows(_ texts: Localizer) -> [TemplateRecord] {
    let events = reports(texts) + decisions(texts) + appeals(texts) + publications(texts)
    return events.sorted { $0.time > $1.time }.prefix(Self.most).map { event in
      // Reports are counted by day.
      let isDay = event.kind == "reports"
      let time: PageTime? = isDay ? nil : PageTime(event.time, texts)
      return [
        "kind": texts("history.event.\(event.kind)"), "text": event.text, "by": event.by,
        "day": isDay ? texts.day(event.time) : "", "time": time,
      ] as TemplateRecord
    }
  }

  private func reports(_ texts: Localizer) -> [Event] {
    days.map { day in
      let parts = [
        ("complaints", day.complaints), ("votes", day.votes), ("calls", Int(day.calls)),
      ].filter { $0.1 > 0 }.map { texts.count("history.\($0.0)", $0.1) }
      return (Date(timeIntervalSince1970: Double(day.day) * 86_400), "reports", parts.joined(separator: ", "), "")
    }
  }

  private func decisions(_ texts: Localizer) -> [Event] {
    let records = file.decisions.records(
      standing: file.explanation.decision?.decisionID, noticed: nil, worker: worker, texts)
    return zip(file.decisions.reversed(), records).map { event, record in
      let text = [record["what"], record["reason"]].compactMap { value -> String? in
        if case .text(let text)? = value, !text.isEmpty { text } else { nil }
      }
      return (event.time, "decision", text.joined(separator: ": "), event.decidedBy)
    }
  }

  private func appeals(_ texts: Localizer) -> [Event] {
    file.appeals.flatMap { appeal -> [Event] in
      let answer = appeal.answeredAt.map { time -> Event in
        let state = texts("case.appeal.\(appeal.state.rawValue)")
        let text = [state, appeal.answer.map(texts.reason) ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
        return (time, "answer", text, appeal.answeredBy ?? "")
      }
      return [(appeal.filedAt, "appeal", appeal.statement, "")] + (answer.map { [$0] } ?? [])
    }
  }

  private func publications(_ texts: Localizer) -> [Event] {
    (history?.places ?? []).map { place in
      let text = texts(
        place.isExact ? "history.changed" : "history.changed-earlier",
        ["pack": place.pack, "serial": "\(place.serial)", "state": texts("history.state.\(place.state.rawValue)")])
      return (place.time, "publication", text, "")
    }
  }
}
