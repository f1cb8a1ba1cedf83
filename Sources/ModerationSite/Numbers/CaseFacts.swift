// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Localization
import PhoneNumbers
import Storage

/// The number's name in a directory.
struct CaseName: Encodable {
  let source: String
  let name: String
  let category: String
}

/// A row that compares a number with one limit of its threshold.
struct CaseCondition: Encodable {
  let name: String
  let have: String
  let need: String
  let met: String
  let isMet: Bool

  static func title(_ explanation: Explanation, _ texts: Localizer) -> String {
    guard let evaluation = explanation.evaluation, let threshold = evaluation.threshold else { return "" }
    return texts.message(.needed(by: threshold, isListed: evaluation.isListed))
  }

  static func all(_ explanation: Explanation, _ texts: Localizer) -> [CaseCondition] {
    guard let evaluation = explanation.evaluation else { return [] }
    let metBy = evaluation.meetingList.map { texts("case.met-by-list", ["list": explanation.lists[$0] ?? "\($0)"]) }
    return evaluation.conditions.map { condition in
      let list = condition.source.map { explanation.lists[$0] ?? "\($0)" } ?? ""
      let figure: (Double) -> String =
        switch condition.kind {
        case .heat, .evidence: { texts.decimal($0, places: 2) }
        case .confidence: texts.percent
        default: { texts.number(Int($0)) }
        }
      let isReplaced = evaluation.isReplaced(condition)
      return CaseCondition(
        name: texts("case.condition.\(condition.kind.rawValue)", ["list": list]), have: figure(condition.have),
        need: figure(condition.need),
        met: isReplaced
          ? metBy ?? texts("case.not-needed") : texts(condition.isMet ? "case.met" : "case.missed"),
        isMet: condition.isMet || isReplaced)
    }
  }
}

/// The part of one category in the score.
struct CasePart: Encodable {
  let category: String
  let heat: String
  let evidence: String
  let reports: String
  let reporters: String

  static func all(_ explanation: Explanation, _ texts: Localizer) -> [CasePart] {
    (explanation.score?.parts ?? []).sorted { $0.heat > $1.heat }.map { part in
      CasePart(
        category: texts.category(part.category), heat: texts.decimal(part.heat),
        evidence: texts.decimal(part.evidence),
        reports: texts.number(part.reports), reporters: texts.number(part.reporters))
    }
  }
}

/// A pack that contains the number.
struct CasePack: Encodable {
  let pack: String
  let kind: String
  let label: String

  init(_ place: PackPlaces.Place, _ texts: Localizer) {
    pack = place.pack
    kind = texts.find("case.pack.\(place.kind)") ?? place.kind
    label = place.label
  }
}

/// Another number in the same block of 100.
struct CaseNeighbour: Encodable {
  let digits: Int64
  let number: String
  let heat: String
  let reports: String
  private(set) var state: String

  init(_ neighbour: Neighbour, at time: Date, _ texts: Localizer) {
    digits = neighbour.number
    number = PhoneNumber(digits: neighbour.number)?.formatted(.international) ?? "+\(neighbour.number)"
    heat = texts.decimal(Decay.heat.value(ofStoredSum: neighbour.heat, at: time))
    reports = texts.number(neighbour.reports)
    state = [
      neighbour.decision.map { texts("case.decided.\($0.rawValue)") },
      neighbour.isPublished ? texts("case.published") : nil, neighbour.isHeld ? texts("case.hold.open") : nil,
      neighbour.isWaiting ? texts("case.waiting") : nil,
    ].compactMap { $0 }.joined(separator: ", ")
    if state.isEmpty { state = texts("case.not-listed") }
  }
}

/// The range that contains the number.
struct CaseRange: Encodable {
  let range: String
  let state: String
  let members: String
  let isProposed: Bool

  init(_ range: ProposedRange, _ texts: Localizer) {
    self.range = range.range.text
    state = texts("case.range.\(range.state.rawValue)")
    members = texts.number(range.members)
    isProposed = range.state == .proposed
  }
}

/// Reports and calls of the last days as a drawing, and as a table for screen readers. The drawing has only classes and
/// positions; the style sheet sets its colours.
struct CaseChart: Encodable {
  struct Bar: Encodable {
    let x: String
    let y: String
    let height: String
    let kind: String
  }

  struct Row: Encodable {
    let day: String
    let complaints: String
    let votes: String
    let calls: String
  }

  let bars: [Bar]
  let line: String
  /// The first, middle and last day.
  let labels: [String]
  let top: String
  let topCalls: String
  let hasCalls: Bool
  let rows: [Row]
  let width: String

  private static let step = 10.0
  private static let height = 100.0

  /// - Parameters:
  /// - days: ascending; days without reports and calls may be missing.
  /// - time: a time on the last day of the chart.
  init(_ days: [CaseDay], at time: Date, _ texts: Localizer) {
    let last = ComplaintDays.day(of: time)
    let first = last - Int32(CaseStore.days) + 1
    let shown = days.filter { (first...last).contains($0.day) }
    let most = max(1, shown.map { $0.complaints + $0.votes }.max() ?? 0)
    let mostCalls = shown.map(\.calls).max() ?? 0
    func place(_ day: Int32) -> Double { Double(day - first) * Self.step }
    func tall(_ count: Int) -> Double { (Double(count) / Double(most) * Self.height).rounded() }
    bars = shown.flatMap { day -> [Bar] in
      let (complaints, votes) = (tall(day.complaints), tall(day.votes))
      return [
        Bar(
          x: Self.text(place(day.day) + 1), y: Self.text(Self.height - complaints), height: Self.text(complaints),
          kind: "bar-1"),
        Bar(
          x: Self.text(place(day.day) + 1), y: Self.text(Self.height - complaints - votes), height: Self.text(votes),
          kind: "bar-2"),
      ].filter { $0.height != "0" }
    }
    hasCalls = mostCalls > 0
    let calls = Dictionary(shown.map { ($0.day, $0.calls) }) { $0 + $1 }
    line =
      mostCalls == 0
      ? ""
      : (first...last).map { day in
        let height = Double(calls[day] ?? 0) / Double(mostCalls) * Self.height
        return "\(Self.text(place(day) + Self.step / 2)),\(Self.text((Self.height - height).rounded()))"
      }.joined(separator: " ")
    labels = [first, last].map { Self.name($0, texts) }
    top = texts.number(most)
    topCalls = texts.number(mostCalls)
    width = Self.text(Double(CaseStore.days) * Self.step)
    rows = shown.reversed().map { day in
      Row(
        day: Self.name(day.day, texts), complaints: texts.number(day.complaints), votes: texts.number(day.votes),
        calls: texts.number(day.calls))
    }
  }

  private static func text(_ value: Double) -> String { String(Int(value)) }

  private static func name(_ day: Int32, _ texts: Localizer) -> String {
    texts.day(Date(timeIntervalSince1970: Double(day) * 86_400))
  }
}
