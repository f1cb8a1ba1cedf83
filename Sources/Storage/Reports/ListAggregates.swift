// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// The aggregates of a list's reports, which have no reporters, as ``SQL/acceptReports(_:receivedAt:in:)`` computes
/// them, in rows for COPY. Reports arrive in the order of number and category.
struct ListAggregates {
  private struct Sums {
    var heat = 0.0
    var evidence = 0.0
    var count: Int64 = 0

    mutating func add(_ report: Report) {
      heat += Decay.heat.storedSum(of: Double(report.weight), at: report.reportedAt)
      evidence += Decay.evidence.storedSum(of: Double(report.weight), at: report.reportedAt)
      count += 1
    }
  }

  private let appID: Int32

  // Of the number at hand.
  private var number: Int64?
  private var categories: [(category: ReportCategory, sums: Sums)] = []
  private var complaints = Sums()
  private var days = ComplaintDays()
  private var first = Date.distantFuture
  private var last = Date.distantPast

  // Of the numbers before it.
  private var categoryRows = PostgresCopyRows()
  private var numberRows = PostgresCopyRows()
  private var sourceRows = PostgresCopyRows()

  init(appID: Int32) {
    self.appID = appID
  }

  /// Adds a report with its effective weight.
  /// - Throws: `PostgresError` for a value that cannot be sent.
  mutating func add(_ report: Report) throws {
    if report.number != number {
      try finish()
      number = report.number
    }
    if categories.last?.category != report.category { categories.append((report.category, Sums())) }
    categories[categories.count - 1].sums.add(report)
    if report.category.isToxic, report.weight > 0 {
      complaints.add(report)
      days.insert(ComplaintDays.day(of: report.reportedAt))
    }
    first = min(first, report.reportedAt)
    last = max(last, report.reportedAt)
  }

  /// Ends the number at hand.
  /// - Throws: `PostgresError` for a value that cannot be sent.
  mutating func finish() throws {
    guard let number else { return }
    var (toxic, legitimate, reports) = (Sums(), 0.0, 0 as Int64)
    for (category, sums) in categories {
      try categoryRows.append { tuple in
        tuple.append(number)
        tuple.append(category.rawValue)
        tuple.append(sums.heat)
        tuple.append(sums.evidence)
        tuple.append(sums.count)
        tuple.append(0 as Int32)
      }
      reports += sums.count
      if category.isToxic {
        toxic.heat += sums.heat
        toxic.evidence += sums.evidence
      } else {
        legitimate += sums.evidence
      }
    }
    try numberRows.append { tuple in
      tuple.append(number)
      tuple.append(toxic.heat)
      tuple.append(toxic.evidence)
      tuple.append(legitimate)
      tuple.append(reports)
      tuple.append(0 as Int32)
      tuple.append(first)
      tuple.append(last)
    }
    try sourceRows.append { tuple in
      tuple.append(number)
      tuple.append(appID)
      tuple.append(Int32(complaints.count))
      tuple.append(complaints.heat)
      tuple.append(complaints.evidence)
      tuple.append(Int64(bitPattern: days.bits))
      // A date is sent as the days since 2000-01-01.
      tuple.append(days.lastDay.map { $0 - 10_957 })
    }
    self.number = nil
    (categories, complaints, days) = ([], Sums(), ComplaintDays())
    (first, last) = (.distantFuture, .distantPast)
  }

  /// The rows of all ended numbers since the last call, each after its COPY.
  mutating func take() -> [(sql: String, rows: PostgresCopyRows)] {
    defer {
      (categoryRows, numberRows, sourceRows) = (PostgresCopyRows(), PostgresCopyRows(), PostgresCopyRows())
    }
    return [
      (
        "COPY number_categories (number, category_id, heat, evidence, reports, reporters) FROM STDIN (FORMAT binary)",
        categoryRows
      ),
      (
        """
        COPY numbers (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at)
        FROM STDIN (FORMAT binary)
        """, numberRows
      ),
      (
        """
        COPY number_sources (number, app_id, complaints, heat, evidence, day_bits, last_day) FROM STDIN (FORMAT binary)
        """, sourceRows
      ),
    ]
  }
}
