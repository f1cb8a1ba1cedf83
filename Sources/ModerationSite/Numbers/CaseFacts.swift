// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Storage

/// The conditions of a listing: a row compares the number with one limit of its threshold.
extension Explanation {
  var conditions: [ListingCondition] { evaluation?.conditions ?? [] }

  /// Whether the number meets a condition, or a list with many complaints replaces it.
  func isMet(_ condition: ListingCondition) -> Bool {
    condition.isMet || evaluation?.isReplaced(condition) == true
  }

  func conditionsTitle(_ texts: Localizer) -> String {
    guard let evaluation, let threshold = evaluation.threshold else { return "" }
    return texts.message(.needed(by: threshold, isListed: evaluation.isListed))
  }

  func name(of condition: ListingCondition, _ texts: Localizer) -> String {
    texts("case.condition.\(condition.kind.rawValue)", ["list": condition.source.map(listName) ?? ""])
  }

  func record(of condition: ListingCondition, _ texts: Localizer) -> TemplateRecord {
    let figure: (Double) -> String =
      switch condition.kind {
      case .heat, .evidence: { texts.decimal($0, places: 2) }
      case .confidence: texts.percent
      default: { texts.number(Int($0)) }
      }
    let met: String
    if evaluation?.isReplaced(condition) == true {
      met =
        evaluation?.meetingList.map { texts("case.met-by-list", ["list": listName($0)]) } ?? texts("case.not-needed")
    } else {
      met = texts(condition.isMet ? "case.met" : "case.missed")
    }
    return [
      "name": name(of: condition, texts), "have": figure(condition.have), "need": figure(condition.need), "met": met,
      "isMet": isMet(condition),
    ]
  }

  private func listName(_ list: Int32) -> String { lists[list] ?? "\(list)" }
}

extension Score {
  /// The part of each category, the highest heat first. Those with less than 2 % of the heat and of the reports are apart.
  func partRecords(_ texts: Localizer) -> (main: [TemplateRecord], minor: [TemplateRecord]) {
    let all = parts.reduce(into: (heat: 0.0, reports: Int64(0))) {
      $0.heat += $1.heat
      $0.reports += Int64($1.reports)
    }
    let sorted = parts.sorted { $0.heat > $1.heat }
    let isMinor = sorted.map { $0.heat < 0.02 * all.heat && Double($0.reports) < 0.02 * Double(all.reports) }
    func records(_ wanted: Bool) -> [TemplateRecord] {
      zip(sorted, isMinor).filter { $0.1 == wanted }.map { $0.0.record(texts) }
    }
    return (records(false), records(true))
  }
}

extension Score.Part {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    let part = self
    return
      [
        "category": texts.category(part.category), "heat": texts.decimal(part.heat),
        "evidence": texts.decimal(part.evidence), "reports": texts.number(part.reports),
        "reporters": texts.number(part.reporters),
      ]
  }
}

extension PackPlaces.Place {
  func record(_ texts: Localizer) -> TemplateRecord {
    ["pack": pack, "kind": texts.find("case.pack.\(kind)") ?? kind, "label": label]
  }
}

extension Neighbour {
  /// Another number in the same block of 100.
  func record(at time: Date, _ texts: Localizer) -> TemplateRecord {
    let states = [
      decision.map { texts("case.decided.\($0.rawValue)") }, isPublished ? texts("case.published") : nil,
      isHeld ? texts("case.hold.open") : nil, isWaiting ? texts("case.waiting") : nil,
    ].compactMap { $0 }
    return [
      "digits": number, "number": NumberText.text(number),
      "heat": texts.decimal(Decay.heat.value(ofStoredSum: heat, at: time)), "reports": texts.number(reports),
      "state": states.isEmpty ? texts("case.not-listed") : states.joined(separator: ", "),
    ]
  }
}

extension RangeRule {
  /// The range that contains the number.
  func caseRecord(_ texts: Localizer) -> TemplateRecord {
    [
      "range": range.text, "state": texts("case.range.\(state.rawValue)"), "members": texts.number(members),
      "isProposed": state == .proposed,
    ]
  }
}

/// Reports by hour of the week as a drawing of 7 × 24 squares, and as a table.
enum CaseHours {
  /// The shades of the drawing, without the empty one.
  private static let shades = 4

  /// - Parameter hours: from Monday 00:00 UTC; hours without reports may be missing.
  static func record(_ hours: [(hour: Int, reports: Int)], _ texts: Localizer) -> TemplateRecord {
    let counts = Dictionary(hours.filter { (0..<168).contains($0.hour) }.map { ($0.hour, $0.reports) }) { $0 + $1 }
    let most = counts.values.max() ?? 0
    let days = texts.weekdays
    return [
      "top": texts.number(most), "days": days,
      "cells": counts.sorted { $0.key < $1.key }.map { hour, count in
        [
          "x": hour % 24 * 10, "y": hour / 24 * 10, "shade": (count * shades + most - 1) / max(1, most),
          "title": "\(days[hour / 24]) \(name(hour % 24)): \(texts.number(count))",
        ] as TemplateRecord
      },
      "rows": (0..<24).map { hour in
        ["hour": name(hour), "counts": (0..<7).map { texts.number(counts[$0 * 24 + hour] ?? 0) }] as TemplateRecord
      },
    ]
  }

  private static func name(_ hour: Int) -> String { hour < 10 ? "0\(hour)" : "\(hour)" }
}

/// Reports and calls of the last days as a drawing, and as a table for screen readers. The drawing has only classes and
/// positions; the style sheet sets its colors.
enum CaseChart {
  private static let step = 10.0
  private static let height = 100.0

  /// - Parameters:
  ///   - days: ascending; days without reports and calls may be missing.
  ///   - time: a time on the last day of the chart.
  static func record(_ days: [CaseDay], at time: Date, _ texts: Localizer) -> TemplateRecord {
    let last = ComplaintDays.day(of: time)
    let first = last - Int32(CaseStore.days) + 1
    let shown = days.filter { (first...last).contains($0.day) }
    let most = max(1, shown.map { $0.complaints + $0.votes }.max() ?? 0)
    let maxCalls = shown.map(\.calls).max() ?? 0
    func place(_ day: Int32) -> Double { Double(day - first) * step }
    func tall(_ count: Int) -> Double { (Double(count) / Double(most) * height).rounded() }
    func bar(_ day: CaseDay, below: Double, _ tall: Double, _ kind: String) -> TemplateRecord? {
      guard tall > 0 else { return nil }
      return [
        "x": text(place(day.day) + 1), "y": text(height - below - tall), "height": text(tall), "kind": kind,
      ]
    }
    let bars = shown.flatMap { day -> [TemplateRecord] in
      let (complaints, votes) = (tall(day.complaints), tall(day.votes))
      return [bar(day, below: 0, complaints, "bar-1"), bar(day, below: complaints, votes, "bar-2")].compactMap { $0 }
    }
    let calls = Dictionary(shown.map { ($0.day, $0.calls) }) { $0 + $1 }
    let points = (first...last).map { day in
      let callHeight = Double(calls[day] ?? 0) / Double(max(1, maxCalls)) * height
      return "\(text(place(day) + step / 2)),\(text((height - callHeight).rounded()))"
    }
    return [
      "bars": bars, "line": points.joined(separator: " "), "labels": [name(first, texts), name(last, texts)],
      "top": texts.number(most), "topCalls": texts.number(maxCalls), "hasCalls": maxCalls > 0,
      "width": text(Double(CaseStore.days) * step), "rows": rows(shown, texts),
    ]
  }

  /// The days as rows of a table, the newest first.
  static func rows(_ days: [CaseDay], _ texts: Localizer) -> [TemplateRecord] {
    days.reversed().map { day in
      [
        "day": name(day.day, texts), "complaints": texts.number(day.complaints), "votes": texts.number(day.votes),
        "calls": texts.number(day.calls),
      ]
    }
  }

  private static func text(_ value: Double) -> String { String(Int(value)) }

  private static func name(_ day: Int32, _ texts: Localizer) -> String {
    texts.day(Date(timeIntervalSince1970: Double(day) * 86_400))
  }
}
