// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Support

/// Applies thresholds to the complaints of a source, at the end of each month.
struct ThresholdReplay {
  /// One complaint.
  struct Complaint {
    let day: Int32
    let category: ReportCategory
  }

  /// A month with its first day and the first day of the next month, in days since 1970-01-01.
  struct Month {
    let name: String
    let first: Int32
    let end: Int32
  }

  /// A number at the end of a month.
  private struct Entry {
    let number: Int64
    let heat: Double
    let isListed: Bool
    let inMonth: Int
    let ever: Int
    let isUsed: Bool
  }

  let months: [Month]
  private let complaints: [Int64: [Complaint]]
  private let thresholds: ThresholdSet
  private let forced: ReportCategory?
  private let weight: Double
  private var listed: Set<Int64> = []

  /// - Parameter forced: the category that every complaint gets; nil keeps its own.
  init(_ complaints: [Int64: [Complaint]], as forced: ReportCategory?, thresholds: ThresholdSet) {
    self.complaints = complaints
    self.forced = forced
    self.thresholds = thresholds
    weight = thresholds.rule(forSource: Self.source).weight
    let days = complaints.values.lazy.flatMap { $0.map(\.day) }
    var months: [Month] = []
    var day = days.min() ?? 0
    let last = days.max() ?? -1
    while day <= last {
      let month = Self.month(containing: day)
      months.append(month)
      day = month.end
    }
    self.months = months
  }

  /// Decides what is listed at the end of a month, and compares it with the complaints of the next month.
  mutating func evaluate(_ month: Month) -> ReplayMonth {
    let next = Self.month(containing: month.end)
    let entries = complaints.compactMap { entry($0, $1, month, next) }
    listed = Set(entries.lazy.filter(\.isListed).map(\.number))
    let ours = entries.sorted {
      ($0.isListed ? 0 : 1, $1.heat, $0.number) < ($1.isListed ? 0 : 1, $0.heat, $1.number)
    }
    let plain = entries.sorted { ($1.inMonth, $0.number) < ($0.inMonth, $1.number) }
    let ever = entries.sorted { ($1.ever, $0.number) < ($0.ever, $1.number) }
    func used(_ list: [Entry], _ count: Int) -> Double {
      count == 0 ? 0 : Double(list.prefix(count).count(where: \.isUsed)) / Double(count)
    }
    let size = listed.count
    let complaintsOfNext = complaints.values.lazy.map { $0.count { $0.day >= next.first && $0.day < next.end } }
    let caught = entries.lazy.filter(\.isListed).reduce(0) { sum, entry in
      sum + (complaints[entry.number] ?? []).count { $0.day >= next.first && $0.day < next.end }
    }
    return ReplayMonth(
      name: month.name, listed: size, used: used(ours, size), plainInMonth: used(plain, size),
      plainEver: used(ever, size), caught: Double(caught) / Double(max(1, complaintsOfNext.reduce(0, +))),
      atLeast: [3, 5, 10].map { k in
        let count = entries.count { $0.inMonth >= k }
        return .init(k: k, size: count, plain: used(plain, count), ours: used(ours, count))
      })
  }

  /// The source of the rows.
  private static let source: Int32 = 1

  private func entry(_ number: Int64, _ all: [Complaint], _ month: Month, _ next: Month) -> Entry? {
    var (inMonth, ever, isUsed, heat) = (0, 0, false, 0.0)
    for complaint in all {
      if complaint.day < month.end {
        ever += 1
        if complaint.day >= month.first { inMonth += 1 }
        heat += weight * exp2((Double(complaint.day - month.end) + 0.5) / 14)
      } else if complaint.day >= next.first, complaint.day < next.end {
        isUsed = true
      }
    }
    guard ever > 0 else { return nil }
    // As in the database: only numbers that are hot enough for some threshold are evaluated.
    let isListed = heat >= thresholds.floor.lowest * 0.999 && isListed(number, all, at: month.end)
    return Entry(number: number, heat: heat, isListed: isListed, inMonth: inMonth, ever: ever, isUsed: isUsed)
  }

  private func isListed(_ number: Int64, _ all: [Complaint], at end: Int32) -> Bool {
    var parts: [ReportCategory: NumberAggregate.Part] = [:]
    var tally = SourceTally(appID: Self.source, complaints: 0, heat: 0, evidence: 0, days: ComplaintDays())
    for complaint in all where complaint.day < end {
      let category = forced ?? complaint.category
      let noon = Date(timeIntervalSince1970: (Double(complaint.day) + 0.5) * 86_400)
      var part = parts[category] ?? .init(category: category, heat: 0, evidence: 0, reports: 0, reporters: 0)
      let heat = Decay.heat.storedSum(of: weight, at: noon)
      let evidence = Decay.evidence.storedSum(of: weight, at: noon)
      part.heat += heat
      part.evidence += evidence
      part.reports += 1
      parts[category] = part
      guard category.isToxic else { continue }
      tally.complaints += 1
      tally.heat += heat
      tally.evidence += evidence
      tally.days.insert(complaint.day)
    }
    let record = NumberRecord(
      number: number, standing: NumberAggregate(parts: Array(parts.values)), days: tally.days, sources: [tally],
      isListed: listed.contains(number))
    let score = Score(record, at: Date(timeIntervalSince1970: Double(end) * 86_400))
    return score.evaluate(by: thresholds).meetsThreshold
  }

  private static func month(containing day: Int32) -> Month {
    let (year, month) = Timestamp.month(of: Date(timeIntervalSince1970: Double(day) * 86_400))
    func first(_ year: Int, _ month: Int) -> Int32 {
      let text = String(format: "%04d-%02d-01T00:00:00Z", year, month)
      return Timestamp.parse(text).map(ComplaintDays.day) ?? day
    }
    return Month(
      name: String(format: "%04d-%02d", year, month), first: first(year, month),
      end: month == 12 ? first(year + 1, 1) : first(year, month + 1))
  }
}
