// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL
import Support

/// Rules for ranges of numbers, and the detection that proposes some.
public struct RangeStore: Sendable {
  package let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Searches all numbers and proposes the ranges that ``RangeDetection`` finds. Safe to call again.
  /// - Returns: the new ranges.
  public func detect(at time: Date) async throws -> [RangePattern] {
    let scale = Decay.heat.scale(at: time)
    var wider = Set<Int64>()
    var new: [RangePattern] = []
    for size in RangeDetection.sizes {
      let statement = SQL.findRanges(
        size: size, memberHeat: RangeDetection.memberHeat * scale, heat: RangeDetection.minHeat(size: size) * scale)
      for item in try await pool.run(statement) {
        let facts = RangeDetection.Facts(
          range: RangePattern(around: item.first, size: size), members: item.members, heat: item.heat / scale,
          greatest: item.greatest / scale, defended: item.defended)
        guard RangeDetection.proposes(facts), !wider.contains(item.first / RangeDetection.sizes[0]),
          RangePlan.current.shortNumber(facts.range.blocks[0]) == nil
        else { continue }
        if size == RangeDetection.sizes[0] { wider.insert(item.first / size) }
        if try await propose(facts, heat: item.heat, at: time) { new.append(facts.range) }
      }
    }
    return new.sorted { ($0.first, $1.size) < ($1.first, $0.size) }
  }

  /// - Returns: whether the range is new.
  private func propose(_ facts: RangeDetection.Facts, heat: Double, at time: Date) async throws -> Bool {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.writeShardsInOrder())
      let numbers = facts.range.blocks[0]
      let category = try await connection.run(
        SQL.readRangeCategory(first: numbers.lowerBound, last: numbers.upperBound)
      ).first
      var rule = RangeRule(stored: facts.range, category: category ?? .other, state: .proposed, proposedAt: time)
      (rule.members, rule.heat) = (facts.members, heat)
      let isNew = try await connection.run(SQL.proposeRange(rule)).first ?? false
      if isNew { _ = try await connection.run(SQL.enqueueCases([(facts.range.first, .range)], at: time)) }
      return isNew
    }
  }

  /// Rules in ascending order of their first numbers.
  /// - Parameter appID: the source.
  public func rules(_ state: RangeRule.State? = nil, of appID: Int32? = nil) async throws -> [RangeRule] {
    try await pool.run(SQL.readRanges(state: state, appID: appID))
  }

  /// The rules in force, within the ceilings of their sources.
  /// - Parameter connection: within a snapshot.
  static func rules(at time: Date, on connection: PostgresConnection) async throws -> [RangeRule] {
    let rules = try await connection.run(SQL.readRanges(state: .approved)).filter { $0.applies(at: time) }
    guard rules.contains(where: { $0.appID != RangeRule.noSource }) else { return rules }
    let thresholds = try await ThresholdStore.current(on: connection).set
    return rules.compactMap { $0.limited(by: thresholds) }
  }

  /// The rules that contain a number, those with the fewest numbers first.
  public func rules(containing number: Int64) async throws -> [RangeRule] {
    try await pool.run(SQL.readRangesOfNumber(number: number))
  }

  /// The rule of a range and a source.
  public func rule(of range: RangePattern, appID: Int32 = RangeRule.noSource) async throws -> RangeRule? {
    try await rules(containing: range.first).first { $0.range.text == range.text && $0.appID == appID }
  }

  public func sourceNames(of rules: [RangeRule]) async throws -> [Int32: String] {
    let names = try await pool.run(
      "SELECT app_id, name FROM apps WHERE app_id = ANY($1::integer[])",
      Set(rules.map(\.appID)).sorted()
    ) { (try $0.decode(0, as: Int32.self), try $0.decode(1, as: String.self)) }
    return Dictionary(names) { first, _ in first }
  }

  /// Saves rules; one of the same range and source is replaced. All or none.
  /// - Throws: ``StorageError/tooManyRanges(maximum:)`` where there would be more than ``Curation/RangeRule/maxRules``.
  package func save(_ rules: [RangeRule], audit: AuditEvent, at time: Date) async throws {
    let numbers = rules.map(\.range.first).sorted()
    try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.writeShardsInOrder())
      for start in stride(from: 0, to: rules.count, by: 10_000) {
        _ = try await connection.run(SQL.saveRanges(Array(rules[start..<min(start + 10_000, rules.count)])))
      }
      guard try await connection.run(SQL.countRanges())[0] <= Int64(RangeRule.maxRules) else {
        throw StorageError.tooManyRanges(maximum: RangeRule.maxRules)
      }
      _ = try await connection.run(SQL.recheckCases(numbers))
      return .made(audit)
    }
  }

  /// Approves or rejects rules. All or none.
  ///
  /// Where one rule is the only cause of a case, the event has the case's time, for the figures of the team.
  /// - Throws: ``RuleViolation`` with the code `range_changed` where another account was faster.
  package func decide(
    _ rules: [RangeRule], isApproved: Bool, because reason: String?, by account: String, audit: AuditEvent,
    at time: Date
  ) async throws {
    try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.writeShardsInOrder())
      var decided = 0
      for start in stride(from: 0, to: rules.count, by: 10_000) {
        let some = Array(rules[start..<min(start + 10_000, rules.count)])
        decided += try await connection.run(
          SQL.decideRanges(some, as: isApproved ? .approved : .rejected, because: reason, by: account, at: time)
        ).count
      }
      guard decided == rules.count else { throw RuleViolation(.rangeChanged, field: "range") }
      var audit = audit
      if rules.count == 1, rules[0].state == .proposed,
        let item = try await connection.run(SQL.readCase(number: rules[0].range.first)).first,
        item.causes == QueueCauses([.range])
      {
        audit.after?.merge(item.auditedFields) { $1 }
        audit.after?["case_category"] = rules[0].category.slug
      }
      _ = try await connection.run(SQL.recheckCases(rules.map(\.range.first)))
      return .made(audit)
    }
  }

  /// - Returns: how many there were.
  package func remove(_ rules: [RangeRule], audit: AuditEvent, at time: Date) async throws -> Int {
    try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.writeShardsInOrder())
      var removed = 0
      for (appID, some) in Dictionary(grouping: rules, by: \.appID) {
        removed += try await connection.run(
          SQL.deleteRanges(numbers: some.map(\.range.first), patterns: some.map(\.range.text), appID: appID)
        ).count
      }
      guard removed > 0 else { return .none(0) }
      _ = try await connection.run(SQL.recheckCases(rules.map(\.range.first).sorted()))
      return .made(audit, removed)
    }
  }

  /// Replaces the rules of a source by the rules of its list. A rule that it had before keeps its review.
  ///
  /// Which are in force says ``Curation/RangeRule/Replacement``.
  /// - Parameters:
  ///   - name: the source's name, which has proposed them.
  ///   - ceiling: the strongest action that the source can trigger.
  /// - Returns: all rules of the source.
  public func replace(
    of appID: Int32, named name: String, ceiling: SourceCeiling, with rules: [RangeRule], at time: Date
  ) async throws -> [RangeRule] {
    let former = try await self.rules(of: appID)
    guard !rules.isEmpty || !former.isEmpty else { return [] }
    guard rules.count <= RangeRule.maxRulesOfSource else {
      throw StorageError.tooManyRanges(maximum: RangeRule.maxRulesOfSource)
    }
    let change = RangeRule.Replacement(
      of: appID, named: name, ceiling: ceiling, former: former, with: rules, at: time)
    try await pool.transaction { connection in
      _ = try await connection.run(
        SQL.deleteRanges(
          numbers: change.removed.map(\.range.first), patterns: change.removed.map(\.range.text), appID: appID))
      for start in stride(from: 0, to: change.changed.count, by: 10_000) {
        let some = Array(change.changed[start..<min(start + 10_000, change.changed.count)])
        _ = try await connection.run(SQL.saveRanges(some))
      }
      guard try await connection.run(SQL.countRanges())[0] <= Int64(RangeRule.maxRules) else {
        throw StorageError.tooManyRanges(maximum: RangeRule.maxRules)
      }
    }
    return change.wanted
  }

  public func counts(of range: RangePattern, protected: ProtectedNumbers) async throws -> RangeCounts {
    var counts = RangeCounts()
    for block in range.blocks {
      let found = try await pool.run(
        """
        SELECT (SELECT count(*) FROM numbers WHERE number BETWEEN $1 AND $2 AND reports > 0),
               (SELECT count(*) FROM listings l WHERE l.number BETWEEN $1 AND $2 AND NOT EXISTS (
                  SELECT 1 FROM listed_ranges r WHERE l.number BETWEEN r.first_number AND r.last_number)),
               (SELECT count(*) FROM number_decisions WHERE number BETWEEN $1 AND $2 AND decision = 'allow'),
               (SELECT count(*) FROM number_decisions WHERE number BETWEEN $1 AND $2 AND decision <> 'allow'),
               (SELECT count(*) FROM holds WHERE number BETWEEN $1 AND $2 AND NOT settled),
               (SELECT count(DISTINCT e.number) FROM directory_entries e
                JOIN directory_sources s ON s.generation = e.generation WHERE e.number BETWEEN $1 AND $2),
               (SELECT coalesce(sum(least(last_number, $2) - greatest(first_number, $1) + 1), 0)::bigint
                FROM listed_ranges WHERE first_number <= $2 AND last_number >= $1)
        """,
        block.lowerBound, block.upperBound
      ) { row in
        var counts = RangeCounts()
        (counts.numbers, counts.reported) = (block.upperBound - block.lowerBound + 1, try row.decode(0))
        counts.listed = try row.decode(1, as: Int64.self) + row.decode(6, as: Int64.self)
        (counts.allowed, counts.decided, counts.held) = (try row.decode(2), try row.decode(3), try row.decode(4))
        counts.named = try row.decode(5)
        return counts
      }[0]
      counts.add(found)
      counts.protected += protected.count(in: block)
    }
    return counts
  }
}

extension RangeCounts {
  public mutating func add(_ other: RangeCounts) {
    for path in [\RangeCounts.numbers, \.reported, \.listed, \.allowed, \.decided, \.held, \.protected, \.named] {
      self[keyPath: path] += other[keyPath: path]
    }
  }
}
