// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

/// Cases of the review queue.
public struct QueueStore: Sendable {
  let pool: PostgresPool

  public static let pageSize = 50

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// A page of the queue.
  /// - Parameters:
  /// - after: the cursor of the page before in this order; nil for the first page.
  /// - level: cases of a higher level are left out.
  /// - account: the account of a filter by assignment.
  /// - limit: at least 1.
  public func page(
    _ filter: QueueFilter = QueueFilter(), by order: QueueOrder = .urgency, after: QueuePlace? = nil, level: Int16,
    account: String = "", limit: Int = pageSize, at time: Date
  ) async throws -> [QueueRow] {
    var pipeline = PostgresPipeline()
    // The same plan for every filter: there is only one plan, and planning takes as long as running it.
    pipeline.add(SQL.keepPlans())
    let query = QueueQuery(
      after: after ?? order.start, filter: filter, level: level, account: account, time: time, limit: limit)
    let place = pipeline.add(SQL.readQueue(query, by: order))
    var rows = try await pool.snapshot(pipeline).rows(place)
    if !rows.isEmpty { rows.add(try await pool.run(SQL.readQueueFigures(numbers: rows.map(\.item.number)))) }
    return rows
  }

  public func queueCounts(at time: Date) async throws -> QueueTotals {
    let (groups, rules) = try await pool.withConnection {
      try await $0.pipeline(SQL.countQueue(time: time), SQL.readAssignmentRules())
    }
    return QueueTotals(groups: groups, rules: rules)
  }

  public func find(_ number: Int64) async throws -> QueueCase? {
    try await pool.run(SQL.readCase(number: number)).first
  }

  /// Marks the cases of numbers as stale: the next round evaluates them again.
  public func recheck(_ numbers: [Int64]) async throws {
    _ = try await pool.run(SQL.recheckCases(numbers))
  }

  /// The filters that an account sees: its own by name, then those that others share.
  public func savedFilters(of account: String) async throws -> [SavedFilter] {
    try await pool.run(SQL.readSavedFilters(account: account))
  }

  /// A page of the queue with facts about its numbers, and with the interrupted bulks that the worker may finish.
  ///
  /// Two round trips: the cases, then the data of their numbers.
  /// - Parameters: as of ``page(_:by:after:level:limit:at:)``.
  public func list(
    _ filter: QueueFilter, by order: QueueOrder, after: QueuePlace?, for worker: Actor, limit: Int, at time: Date
  ) async throws -> QueueListing {
    var pipeline = PostgresPipeline()
    pipeline.add(SQL.keepPlans())
    let query = QueueQuery(
      after: after ?? order.start, filter: filter, level: worker.level, account: worker.name, time: time,
      limit: limit)
    let rows = pipeline.add(SQL.readQueue(query, by: order))
    let thresholds = ThresholdQuery(in: &pipeline)
    let saved = pipeline.add(SQL.readSavedFilters(account: worker.name))
    let bulks = SQL.readUnfinishedBulks(for: worker, limit: 10).map { pipeline.add($0) }
    let results = try await pool.snapshot(pipeline)
    let set = try thresholds.set(results)
    let unfinished = try bulks.map { try results.rows($0) } ?? []
    var found = try results.rows(rows)
    let facts = try await facts(&found, by: set, at: time)
    return QueueListing(
      rows: found, facts: facts,
      unfinished: try await BulkStore.counted(unfinished, pool: pool), savedFilters: try results.rows(saved))
  }

  /// Reads facts about the numbers of rows, and adds their sums to the rows.
  private func facts(
    _ rows: inout [QueueRow], by thresholds: ThresholdSet, at time: Date
  ) async throws -> [Int64: QueueRowFacts] {
    guard !rows.isEmpty else { return [:] }
    let numbers = rows.map(\.item.number)
    var pipeline = PostgresPipeline()
    pipeline.add(SQL.keepPlans())
    let figures = pipeline.add(SQL.readQueueFigures(numbers: numbers))
    let records = pipeline.add(SQL.readRecordsOf(numbers: numbers, heat: 0))
    let comments = pipeline.add(
      SQL.readLastComments(numbers: numbers, since: time.addingTimeInterval(-Double(CaseStore.days) * 86_400)))
    let results = try await pool.snapshot(pipeline)
    var assembler = RecordAssembler()
    var known: [Int64: NumberRecord] = [:]
    for row in try results.rows(records) {
      if let record = assembler.take(row) { known[record.number] = record }
    }
    if let last = assembler.finish() { known[last.number] = last }
    let last = Dictionary(try results.rows(comments).map { ($0.number, $0.comment) }) { first, _ in first }
    rows.add(try results.rows(figures))
    return Dictionary(
      uniqueKeysWithValues: numbers.map { number in
        (
          number,
          QueueRowFacts(
            known[number], country: RegionMap.countries.region(of: number), comment: last[number], by: thresholds,
            at: time)
        )
      })
  }
}

extension SQL {
  static func readLastComments(numbers: [Int64], since: Date) -> Statement<(number: Int64, comment: NewestComment)> {
    Statement(
      """
      SELECT number, comment, category_id FROM (
        SELECT number, comment, category_id,
               row_number() OVER (PARTITION BY number ORDER BY reported_at DESC, report_id DESC) AS place
        FROM reports
        WHERE number = ANY($1::bigint[]) AND reported_at >= $2 AND comment IS NOT NULL AND withdrawn_at IS NULL
      ) AS commented WHERE place = 1 ORDER BY number
      """,
      numbers, since
    ) { (try $0.decode(0), NewestComment(text: try $0.decode(1), category: try $0.category(2))) }
  }
}
