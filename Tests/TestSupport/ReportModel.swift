// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import Storage
public import TestData

/// The aggregates of reports, calculated in a simple way from all of them: the expected result of the SQL.
public struct ReportModel {
  private struct Entry {
    var report: Report
    var isWithdrawn = false
  }

  private struct Name: Hashable {
    let appID: Int32
    let reportID: UUID
    /// Of a list's row, whose id belongs to its number.
    var number: Int64?
  }

  private var places: [Name: Int] = [:]
  /// In the order of arrival.
  private var entries: [Entry] = []

  private let day: Int32?

  /// A model without reports.
  /// - Parameter receivedAt: when all reports arrive; nil for the times in them.
  public init(receivedAt: Date? = nil) { day = receivedAt.map { ComplaintDays.day(of: $0) } }

  /// Accepts one report after those before it.
  public mutating func accept(_ report: Report) -> ReportOutcome {
    let name = Name(
      appID: report.appID, reportID: report.reportID, number: report.reporter == nil ? report.number : nil)
    if let place = places[name] {
      var known = entries[place].report
      (known.network, known.weight) = (report.network, report.weight)
      if known != report { return .conflict }
      return entries[place].isWithdrawn ? .withdrawn : .duplicate
    }
    places[name] = entries.count
    var counted = report
    // A list's row has the list's weight, which is 1 by default.
    if report.reporter != nil { counted.weight *= Float(ReporterWeight.newcomer) }
    entries.append(Entry(report: counted))
    return .created
  }

  /// - Returns: whether it is new.
  public mutating func take(_ report: Report) -> Bool { accept(report) == .created }

  /// Withdraws a reporter's report.
  public mutating func withdraw(reportID: UUID, appID: Int32) -> WithdrawalOutcome {
    guard let place = places[Name(appID: appID, reportID: reportID)] else { return .notFound }
    if entries[place].isWithdrawn { return .alreadyWithdrawn }
    entries[place].isWithdrawn = true
    return .withdrawn
  }

  /// Numbers with reports.
  public var numbers: Set<Int64> { Set(entries.map(\.report.number)) }

  /// The networks of all complaints about a number, including withdrawn ones.
  public func networksEver(of number: Int64) -> NetworkSketch {
    var networks = NetworkSketch()
    for entry in entries
    where entry.report.number == number && entry.report.category.isToxic && entry.report.weight > 0 {
      if let network = entry.report.network { networks.insert(network) }
    }
    return networks
  }

  /// The record of a number.
  public func record(of number: Int64) -> NumberRecord {
    let all = entries.filter { $0.report.number == number && $0.report.category.isToxic && $0.report.weight > 0 }
    var record = NumberRecord(number: number, standing: standing(of: number))
    for entry in all where !entry.isWithdrawn {
      if let network = entry.report.network { record.networks.insert(network) }
      if entry.report.reporter != nil { record.days.insert(day ?? ComplaintDays.day(of: entry.report.reportedAt)) }
    }
    let lists = Set(entries.filter { $0.report.number == number && $0.report.reporter == nil }.map(\.report.appID))
    record.sources = lists.sorted().map { appID in
      let rows = all.filter { $0.report.appID == appID && $0.report.reporter == nil && !$0.isWithdrawn }
      var tally = SourceTally(appID: appID, complaints: rows.count, heat: 0, evidence: 0, days: ComplaintDays())
      for row in rows.map(\.report) {
        tally.days.insert(ComplaintDays.day(of: row.reportedAt))
        tally.heat += Decay.heat.storedSum(of: Double(row.weight), at: row.reportedAt)
        tally.evidence += Decay.evidence.storedSum(of: Double(row.weight), at: row.reportedAt)
      }
      return tally
    }
    return record
  }

  /// The aggregates of a number: each reporter's vote counts, as of the time of the report; each row of a list counts;
  /// withdrawn reports do not.
  public func standing(of number: Int64) -> NumberAggregate {
    let all = entries.filter { $0.report.number == number }
    let mine = all.filter { !$0.isWithdrawn }.map(\.report)
    var words: [[UInt8]: Report] = [:]
    var counted = mine.filter { $0.reporter == nil }
    for report in mine {
      guard let reporter = report.reporter else { continue }
      if let word = words[reporter], word.reportedAt > report.reportedAt { continue }
      words[reporter] = report
    }
    counted += words.values
    let parts = Set(all.map(\.report.category)).sorted { $0.rawValue < $1.rawValue }.map { category in
      let said = counted.filter { $0.category == category }
      return NumberAggregate.Part(
        category: category,
        heat: said.reduce(0) { $0 + Decay.heat.storedSum(of: Double($1.weight), at: $1.reportedAt) },
        evidence: said.reduce(0) { $0 + Decay.evidence.storedSum(of: Double($1.weight), at: $1.reportedAt) },
        reports: Int64(mine.count { $0.category == category }),
        reporters: Int32(said.count { $0.reporter != nil && $0.weight > 0 }))
    }
    return NumberAggregate(parts: parts)
  }
}

extension Report {
  /// A random report from few numbers, reporters and times, so that many collide.
  ///
  /// Nine of ten have the fixed content of their id: a repeated one is a duplicate. The others use an id for other
  /// content.
  public static func random(using generator: inout SeededGenerator, now: Date) -> Report {
    let id = UInt8.random(in: 0..<200, using: &generator)
    let appID = Int32.random(in: 1...2, using: &generator)
    let content = UInt64(id) * 10 + UInt64(appID)
    let other = UInt64.random(in: 0..<10, using: &generator) == 0 ? generator.next() : 0
    var chance = SeededGenerator(seed: content &+ other)
    let reporter = UInt8.random(in: 0..<8, using: &chance)
    return Report(
      number: 33_199_000_000 + Int64.random(in: 0..<12, using: &chance), appID: appID,
      // Ids of lists are no ids of apps.
      reportID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, reporter == 0 ? 1 : 0, id)),
      // Within the window in which an id is recognized; often at the same time.
      reportedAt: now - Double(Int.random(in: 0..<30, using: &chance)) * 86_400,
      category: ReportCategory.allCases.randomElement(using: &chance)!,
      reporter: reporter == 0 ? nil : [UInt8](repeating: reporter, count: 16),
      weight: [0, 0.5, 1, 2].randomElement(using: &chance)!,
      network: chance.next() % 4 == 0 ? nil : [UInt8](repeating: UInt8(chance.next() % 80), count: 8))
  }
}
