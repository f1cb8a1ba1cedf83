// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation
import Foundation
import Storage

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
