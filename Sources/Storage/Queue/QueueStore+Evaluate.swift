// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
import PostgreSQL

extension QueueStore {
  /// Evaluates numbers from their stored data: those with a cause get a case, the others lose theirs. Safe to call
  /// again, and from several servers at once.
  /// - Parameters:
  ///   - numbers: in any order; some thousands at most.
  ///   - protected: the protected numbers.
  public func evaluate(
    _ numbers: [Int64], by thresholds: ThresholdSet, protected: ProtectedNumbers, at time: Date
  ) async throws -> QueueChange {
    let numbers = Set(numbers).sorted()
    guard !numbers.isEmpty else { return QueueChange() }
    return try await pool.retrying { connection in
      let found = Dictionary(
        try await connection.run(
          """
          SELECT number, max(decided_at), bool_or(is_held), max(appealed_at), bool_or(is_proposed), bool_or(is_published),
                 max(since), max(level), max(version)
          FROM (
            SELECT number, decided_at, false AS is_held, NULL::timestamptz AS appealed_at, false AS is_proposed,
                   false AS is_published, NULL::timestamptz AS since, 0::smallint AS level, 0::bigint AS version
            FROM number_decisions WHERE number = ANY($1::bigint[])
            UNION ALL
            SELECT number, NULL, true, NULL, false, false, NULL, 0::smallint, 0 FROM holds
            WHERE number = ANY($1::bigint[]) AND NOT settled AND NOT \(HoldSQL.isUnassigned)
            UNION ALL
            SELECT number, NULL, false, filed_at, false, false, NULL, 0::smallint, 0 FROM appeals
            WHERE number = ANY($1::bigint[]) AND state = 'open'
            UNION ALL
            SELECT number, NULL, false, NULL, true, false, NULL, 0::smallint, 0 FROM ranges
            WHERE number = ANY($1::bigint[]) AND state = 'proposed' AND proposed_by IS NULL
            UNION ALL
            SELECT number, NULL, false, NULL, false, true, NULL, 0::smallint, 0 FROM listings
            WHERE number = ANY($1::bigint[])
            UNION ALL
            SELECT number, NULL, false, NULL, false, false, since, level, version FROM queue
            WHERE number = ANY($1::bigint[])
          ) known GROUP BY number
          """,
          numbers
        ) { row in
          StoredQueueFacts(
            number: try row.decode(0), decidedAt: try row.decode(1), isHeld: try row.decode(2),
            appealedAt: try row.decode(3),
            isRangeProposed: try row.decode(4), isPublished: try row.decode(5), since: try row.decode(6),
            level: try row.decode(7), version: try row.decode(8))
        }.map { ($0.number, $0) }
      ) {
        $1
      }
      let known = numbers.map { found[$0] ?? .none($0) }
      // Numbers below every threshold are read only where another cause is possible.
      let guarded = numbers.filter { protected.rule(for: $0) != nil }
      let notable = Set(known.filter(\.isNotable).map(\.number)).union(guarded).sorted()
      let coldest = min(thresholds.lowestReviewHeat, thresholds.floor.lowest)
      let storedHeat = coldest * (1 - 1e-9) * Decay.heat.scale(at: time)
      var records = try await connection.records(of: numbers, heat: storedHeat)
      for (number, record) in try await connection.records(of: notable.filter { records[$0] == nil }, heat: 0) {
        records[number] = record
      }
      let recent = try await connection.recentReports(of: guarded, at: time)
      var evaluator = CaseEvaluator(thresholds: thresholds, time: time)
      for facts in known {
        evaluator.take(
          facts, records[facts.number], isProtected: recent[facts.number] != nil, recent[facts.number] ?? 0)
      }
      return try await connection.write(evaluator)
    }
  }

  /// The numbers of stale cases; see ``SQL/enqueueCases(_:at:)``.
  /// - Parameter limit: the most numbers, at least 1.
  public func stale(limit: Int) async throws -> [Int64] {
    try await pool.run(
      "SELECT number FROM queue WHERE stale ORDER BY number LIMIT $1::bigint",
      Int64(limit)
    ) { try $0.decode(0) }
  }
}

/// Separates numbers with a cause from those without, from the facts of one number after another.
private struct CaseEvaluator {
  let thresholds: ThresholdSet
  let time: Date
  var judged = 0
  var waiting: [CaseEntry] = []
  var settled: [(number: Int64, version: Int64)] = []

  init(thresholds: ThresholdSet, time: Date) {
    self.thresholds = thresholds
    self.time = time
  }

  mutating func take(
    _ known: StoredQueueFacts, _ record: NumberRecord?, isProtected: Bool, _ recentReports: Int
  ) {
    judged += 1
    let country = RegionMap.countries.region(of: known.number)
    var facts = QueueFacts(
      isProtected: isProtected, decidedAt: known.decidedAt, isHeld: known.isHeld, appealedAt: known.appealedAt,
      isRangeProposed: known.isRangeProposed, isPublished: known.isPublished, recentReports: recentReports,
      level: known.level, since: known.since ?? time)
    if let record {
      let score = Score(record, at: time)
      facts.score = score.without(below: .review, thresholds)
      facts.evaluation = score.evaluate(by: thresholds, in: OverrideState(country: country))
    }
    if let entry = QueueEntry(number: known.number, facts: facts) {
      let sums = record.map { QueueSums(heat: $0.standing.heat, reports: $0.standing.reports) } ?? QueueSums()
      waiting.append(
        CaseEntry(entry: entry, country: country ?? "", version: known.version, sums: sums))
    } else if known.since != nil {
      settled.append((known.number, known.version))
    }
  }
}

extension StoredQueueFacts {
  /// Whether it may have another cause than heat.
  fileprivate var isNotable: Bool { isHeld || appealedAt != nil || isRangeProposed || isPublished || since != nil }
}

extension PostgresConnection {
  fileprivate func records(of numbers: [Int64], heat: Double) async throws -> [Int64: NumberRecord] {
    guard !numbers.isEmpty else { return [:] }
    var assembler = RecordAssembler()
    var records: [Int64: NumberRecord] = [:]
    for row in try await run(SQL.readRecordsOf(numbers: numbers, heat: heat)) {
      if let record = assembler.take(row) { records[record.number] = record }
    }
    if let last = assembler.finish() { records[last.number] = last }
    return records
  }

  /// Number of recent reports; 0 for numbers that have none.
  fileprivate func recentReports(of numbers: [Int64], at time: Date) async throws -> [Int64: Int] {
    guard !numbers.isEmpty else { return [:] }
    var counts = Dictionary(uniqueKeysWithValues: numbers.map { ($0, 0) })
    let since = time.addingTimeInterval(-QueueRule.protectedWindow)
    for (number, count) in try await run(SQL.countRecentReports(numbers: numbers, since: since)) {
      counts[number] = count
    }
    return counts
  }

  fileprivate func write(_ evaluator: CaseEvaluator) async throws -> QueueChange {
    var change = QueueChange(judged: evaluator.judged)
    if !evaluator.waiting.isEmpty { change.written = try await run(SQL.writeCases(entries: evaluator.waiting)).count }
    if !evaluator.settled.isEmpty { change.removed = try await run(SQL.removeCases(cases: evaluator.settled)).count }
    return change
  }
}

extension QueueStore {
  /// Evaluates all numbers and corrects the queue: adds missing cases and removes those without a cause. Safe to repeat
  /// and to interrupt.
  ///
  /// The records of one snapshot show which numbers a threshold or a split may queue; of cases without another cause
  /// the ``QueueRule/maxByThreshold`` most urgent are kept. These and all numbers with another possible cause are
  /// evaluated as usual.
  /// - Parameters:
  ///   - progress: called with the number of evaluated numbers and their total.
  ///   - rest: called after each batch.
  public func sweep(
    at time: Date, progress: @Sendable (Int, Int) -> Void = { _, _ in }, rest: @Sendable () async throws -> Void = {}
  ) async throws -> QueueChange {
    let thresholds = try await ThresholdStore(pool: pool).current()
    let protected = try await ProtectionStore(pool: pool).load()
    let floor = thresholds.floor.lowered(to: HeatFloor(heat: thresholds.lowestReviewHeat, reporters: .max))
    let warm = try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead, readOnly: true) { connection in
        _ = try await connection.run(SQL.withoutWorkers())
        var warm = MostUrgent(limit: QueueRule.maxByThreshold)
        try await NumberRecordStore.forEachRecord(above: floor, at: time, on: connection) { batch in
          for record in batch { warm.take(record, at: time, by: thresholds) }
          try await rest()
        }
        return warm
      }
    }
    let notable = try await pool.run(SQL.readNotableNumbers())
    let guarded = try await protectedAndBusy(protected, at: time)
    let numbers = Set(warm.numbers).union(notable).union(guarded).sorted()
    var change = try await judgeAll(
      numbers, by: thresholds, protected: protected, at: time, rest: rest, progress: progress)
    change.removed += try await trim()
    return change
  }

  /// Evaluates all cases and numbers with another possible cause than heat again, as after a publication, since listed
  /// numbers need no review. Safe to repeat and to interrupt.
  public func reevaluate(at time: Date) async throws -> QueueChange {
    try await judgeAll(
      try await pool.run(SQL.readNotableNumbers()), by: try await ThresholdStore(pool: pool).current(),
      protected: try await ProtectionStore(pool: pool).load(), at: time, rest: {}, progress: { _, _ in })
  }

  private func judgeAll(
    _ numbers: [Int64], by thresholds: ThresholdSet, protected: ProtectedNumbers, at time: Date,
    rest: () async throws -> Void, progress: @Sendable (Int, Int) -> Void
  ) async throws -> QueueChange {
    var change = QueueChange()
    for start in stride(from: 0, to: numbers.count, by: Self.batch) {
      try Task.checkCancellation()
      let batch = Array(numbers[start..<min(start + Self.batch, numbers.count)])
      change = change + (try await evaluate(batch, by: thresholds, protected: protected, at: time))
      progress(change.judged, numbers.count)
      try await rest()
    }
    return change
  }

  private static var batch: Int { 500 }

  /// Removes the least urgent cases whose only cause is a threshold, where there are too many.
  private func trim() async throws -> Int {
    let surplus = try await pool.run(SQL.findSurplusCases(keep: QueueRule.maxByThreshold))
    for start in stride(from: 0, to: surplus.count, by: Self.batch) {
      let batch = Array(surplus[start..<min(start + Self.batch, surplus.count)])
      _ = try await pool.retrying { try await $0.run(SQL.removeCases(cases: batch)) }
    }
    return surplus.count
  }

  private func protectedAndBusy(_ protected: ProtectedNumbers, at time: Date) async throws -> [Int64] {
    let busy = SQL.readBusyNumbers(
      since: time.addingTimeInterval(-QueueRule.protectedWindow), reports: QueueRule.minProtectedReports)
    return try await pool.withConnection { connection in
      var found: [Int64] = []
      for try await batch in connection.stream(busy).batches {
        found += batch.filter { protected.rule(for: $0) != nil }
      }
      return found
    }
  }
}

/// The most urgent of many numbers, in bounded memory: at most twice the limit is kept.
struct MostUrgent: Sendable {
  private let limit: Int
  private var kept: [(urgency: Int64, number: Int64)] = []
  private var bar = Int64.max

  init(limit: Int) {
    self.limit = limit
  }

  /// The numbers, at most the limit, unordered.
  var numbers: [Int64] {
    guard kept.count > limit else { return kept.map(\.number) }
    return kept.sorted { ($0.urgency, $0.number) < ($1.urgency, $1.number) }.prefix(limit).map(\.number)
  }

  mutating func take(_ record: NumberRecord, at time: Date, by thresholds: ThresholdSet) {
    let score = Score(record, at: time)
    var facts = QueueFacts(score: score, isPublished: record.isListed, since: record.lastReportedAt ?? time)
    facts.evaluation = score.evaluate(by: thresholds, in: OverrideState()) {
      RegionMap.countries.region(of: record.number)
    }
    facts.score = score.without(below: .review, thresholds)
    guard let entry = QueueEntry(number: record.number, facts: facts) else { return }
    take(entry.urgency, entry.number)
  }

  mutating func take(_ urgency: Int64, _ number: Int64) {
    guard urgency < bar else { return }
    kept.append((urgency, number))
    guard kept.count >= 2 * limit else { return }
    kept.sort { ($0.urgency, $0.number) < ($1.urgency, $1.number) }
    kept.removeSubrange(limit...)
    bar = kept.last?.urgency ?? .max
  }
}
