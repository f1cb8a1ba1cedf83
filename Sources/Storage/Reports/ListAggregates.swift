// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// The aggregates of a list's reports, which have no reporters, as ``SQL/acceptReports(_:receivedAt:in:)`` computes
/// them. Reports arrive in the order of number and category.
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

  // Of the number at hand.
  private var number: Int64?
  private var categories: [(category: ReportCategory, sums: Sums)] = []
  private var complaints = Sums()
  private var days = ComplaintDays()
  private var first = Date.distantFuture
  private var last = Date.distantPast

  private var rows: ListRows

  init(appID: Int32) {
    rows = ListRows(appID: appID)
  }

  /// Adds a report with its effective weight.
  mutating func add(_ report: Report) {
    if report.number != number {
      finish()
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
  mutating func finish() {
    guard let number else { return }
    var (toxic, legitimate, reports) = (Sums(), 0.0, 0 as Int64)
    for (category, sums) in categories {
      rows.categories.append(
        .init(number: number, category: category, heat: sums.heat, evidence: sums.evidence, reports: sums.count))
      reports += sums.count
      if category.isToxic {
        toxic.heat += sums.heat
        toxic.evidence += sums.evidence
      } else {
        legitimate += sums.evidence
      }
    }
    rows.numbers.append(
      .init(
        number: number, heat: toxic.heat, evidence: toxic.evidence, legitimate: legitimate, reports: reports,
        first: first, last: last))
    rows.lists.append(
      .init(
        number: number, complaints: Int32(complaints.count), heat: complaints.heat, evidence: complaints.evidence,
        days: days))
    self.number = nil
    (categories, complaints, days) = ([], Sums(), ComplaintDays())
    (first, last) = (.distantFuture, .distantPast)
  }

  /// The rows of all ended numbers since the last call.
  mutating func take() -> ListRows {
    defer { rows = ListRows(appID: rows.appID) }
    return rows
  }
}

/// Rows of number_categories, numbers and number_sources in ascending order of number, to be stored or added to stored ones.
struct ListRows: Sendable {
  struct Category: Sendable {
    var number: Int64
    var category: ReportCategory
    var heat, evidence: Double
    var reports: Int64
  }

  struct Number: Sendable {
    var number: Int64
    var heat, evidence, legitimate: Double
    var reports: Int64
    var first, last: Date
  }

  struct List: Sendable {
    var number: Int64
    var complaints: Int32
    var heat, evidence: Double
    var days: ComplaintDays
  }

  let appID: Int32
  var categories: [Category] = []
  var numbers: [Number] = []
  var lists: [List] = []

  /// The rows of numbers that fulfill a condition.
  func filter(_ isIncluded: (Int64) -> Bool) -> ListRows {
    var rows = self
    rows.categories.removeAll { !isIncluded($0.number) }
    rows.numbers.removeAll { !isIncluded($0.number) }
    rows.lists.removeAll { !isIncluded($0.number) }
    return rows
  }

  /// For numbers without rows: each COPY with its rows.
  func copies() throws -> [(sql: String, rows: PostgresCopyRows)] {
    var (categoryRows, numberRows, listRows) = (PostgresCopyRows(), PostgresCopyRows(), PostgresCopyRows())
    for row in categories {
      try categoryRows.append { tuple in
        tuple.append(row.number)
        tuple.append(row.category.rawValue)
        tuple.append(row.heat)
        tuple.append(row.evidence)
        tuple.append(row.reports)
        tuple.append(0 as Int32)
      }
    }
    for row in numbers {
      try numberRows.append { tuple in
        tuple.append(row.number)
        tuple.append(row.heat)
        tuple.append(row.evidence)
        tuple.append(row.legitimate)
        tuple.append(row.reports)
        tuple.append(0 as Int32)
        tuple.append(row.first)
        tuple.append(row.last)
      }
    }
    for row in lists {
      try listRows.append { tuple in
        tuple.append(row.number)
        tuple.append(appID)
        tuple.append(row.complaints)
        tuple.append(row.heat)
        tuple.append(row.evidence)
        tuple.append(Int64(bitPattern: row.days.bits))
        // A date is sent as the days since 2000-01-01.
        tuple.append(row.days.lastDay.map { $0 - 10_957 })
      }
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
        """, listRows
      ),
    ]
  }

  /// For numbers with rows: the statements that add to them.
  var additions: PostgresPipeline {
    var pipeline = PostgresPipeline()
    pipeline.add(SQL.addToCategories(rows: categories))
    pipeline.add(SQL.addToNumbers(rows: numbers))
    pipeline.add(SQL.addToLists(rows: lists, appID: appID))
    return pipeline
  }
}

extension SQL {
  fileprivate static func addToCategories(rows: [ListRows.Category]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO number_categories AS c (number, category_id, heat, evidence, reports, reporters)
      SELECT *, 0 FROM unnest($1::bigint[], $2::smallint[], $3::float8[], $4::float8[], $5::bigint[])
      \(ReportSQL.addToCategory)
      """,
      rows.map(\.number), rows.map(\.category.rawValue), rows.map(\.heat), rows.map(\.evidence), rows.map(\.reports))
  }

  fileprivate static func addToNumbers(rows: [ListRows.Number]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO numbers AS n
        (number, heat, evidence, legitimate, reports, first_reported_at, last_reported_at, reporters)
      SELECT *, 0 FROM unnest($1::bigint[], $2::float8[], $3::float8[], $4::float8[], $5::bigint[], $6::timestamptz[],
                              $7::timestamptz[])
      \(ReportSQL.addToNumber)
      """,
      rows.map(\.number), rows.map(\.heat), rows.map(\.evidence), rows.map(\.legitimate), rows.map(\.reports),
      rows.map(\.first), rows.map(\.last))
  }

  fileprivate static func addToLists(rows: [ListRows.List], appID: Int32) -> Statement<Void> {
    Statement(
      """
      INSERT INTO number_sources AS s (number, app_id, complaints, heat, evidence, day_bits, last_day)
      SELECT number, $1, complaints, heat, evidence, day_bits, date '1970-01-01' + day
      FROM unnest($2::bigint[], $3::integer[], $4::float8[], $5::float8[], $6::bigint[], $7::integer[])
        AS t (number, complaints, heat, evidence, day_bits, day)
      \(ReportSQL.addToList)
      """,
      appID, rows.map(\.number), rows.map(\.complaints), rows.map(\.heat), rows.map(\.evidence),
      rows.map { Int64(bitPattern: $0.days.bits) }, rows.map(\.days.lastDay))
  }
}
