// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL
import Synchronization

/// Holds of numbers by rules against brigading, and the votes that those rules check.
public struct HoldStore: Sendable {
  private let pool: PostgresPool
  private let batchSize: Int
  private let reporters = WeeklyReporters()

  /// - Parameter batchSize: numbers whose votes one statement reads, at least 1.
  public init(pool: PostgresPool, batchSize: Int = 1_000) {
    self.pool = pool
    self.batchSize = max(1, batchSize)
  }

  /// Passes to `body`, in ascending order and in batches, the numbers that a rule against brigading could hold, or does.
  /// Such numbers have no decision. Votes on them arrived in the last ``BrigadeDetection/window`` days and reports do not
  /// block them; or they are listed, and a source that may have listed them names or named them; or they have votes that
  /// call them legitimate.
  ///
  /// Votes count by their arrival; one day is added for clock differences and because the window begins at midnight.
  /// - Parameters:
  ///   - heat: the least decayed heat; no threshold lists a number below it.
  ///   - reporters: the least number of reporters.
  ///   - connection: reads one snapshot.
  public func forEachReviewable(
    hotterThan heat: Double, reporters: Int, at time: Date, on connection: PostgresConnection,
    _ body: ([Int64]) async throws -> Void
  ) async throws {
    let statement = SQL.readReviewable(
      heat: Self.storedHeat(heat, at: time), reporters: reporters, since: BrigadeDetection.judgedSince(time),
      votes: BrigadeDetection.minOnEachSide)
    for try await numbers in connection.stream(statement).batches {
      try Task.checkCancellation()
      try await body(numbers)
    }
  }

  /// Passes the votes on numbers to `body`, one number after another.
  /// - Parameters:
  ///   - numbers: ascending; numbers without votes are left out.
  ///   - window: the days whose comments are compared.
  public func forEachVotes(
    of numbers: [Int64], within window: Int32 = BrigadeDetection.window, at time: Date,
    on connection: PostgresConnection, _ body: (NumberVotes) async throws -> Void
  ) async throws {
    let windowStart = time.addingTimeInterval(-Double(window) * 86_400)
    for start in stride(from: 0, to: numbers.count, by: batchSize) {
      try Task.checkCancellation()
      let piece = Array(numbers[start..<min(start + batchSize, numbers.count)])
      var all = NumberVotes(number: 0, votes: [])
      for try await batch in connection.stream(SQL.readVotes(numbers: piece, windowStart: windowStart)).batches {
        for row in batch {
          if row.number != all.number {
            if !all.votes.isEmpty { try await body(all) }
            all = NumberVotes(number: row.number, votes: [])
          }
          all.votes.append(row.vote(at: time))
        }
      }
      if !all.votes.isEmpty { try await body(all) }
    }
  }

  /// About `size` numbers that a publication listed by their reports, or a moderator blocked, with how many days ago: the
  /// same ones of the same numbers.
  /// - Parameter days: how long ago at most.
  public func confirmedAges(
    size: Int, within days: Int32, at time: Date, on connection: PostgresConnection
  ) async throws -> [Int64: Int32] {
    let since = time.addingTimeInterval(-Double(days) * 86_400)
    let today = ComplaintDays.day(of: time)
    let rows = try await connection.run(SQL.sampleConfirmed(since: since, size: size))
    return Dictionary(rows.map { ($0.number, today - ComplaintDays.day(of: $0.confirmedAt)) }) { max($0, $1) }
  }

  /// Whether reports of numbers that are not in the plan are stored: not before the contract migration after which no program
  /// of 0.1.0 runs. Such a program cannot read their holds, and does not publish.
  public func takesUnassigned() async throws -> Bool { try await pool.run(SQL.readTakesUnassigned()).first ?? false }

  /// Runs `body` in a transaction that reads one snapshot, on one core of the database.
  public func withSnapshot<Result: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead, readOnly: true) { connection in
        _ = try await connection.run(SQL.withoutWorkers())
        return try await body(connection)
      }
    }
  }

  /// The numbers that the reporters of these numbers have reported in the last `window` days.
  /// - Parameter numbers: ascending.
  public func overlap(
    of numbers: [Int64], within window: Int32, at time: Date, on connection: PostgresConnection
  ) async throws -> TargetOverlap {
    let since = time.addingTimeInterval(-Double(window) * 86_400)
    var compared = Set<Reporter>()
    for start in stride(from: 0, to: numbers.count, by: batchSize) {
      let piece = Array(numbers[start..<min(start + batchSize, numbers.count)])
      compared.formUnion(
        try await connection.run(SQL.readReporters(numbers: piece, since: since, limit: TargetOverlap.maxReporters)))
    }
    var overlap = TargetOverlap()
    guard !compared.isEmpty else { return overlap }
    for try await batch in connection.stream(SQL.readSharedVotes(since: since, limit: TargetOverlap.maxReporters))
      .batches
    {
      try Task.checkCancellation()
      for vote in batch where compared.contains(vote.reporter) { overlap.add(vote.number, [vote.reporter]) }
    }
    overlap.finish()
    return overlap
  }

  /// Holds numbers, and changes the reason of those that are held; settled holds are unchanged. Safe to call again.
  /// - Returns: the number of new holds that wait for a moderator: a decision made meanwhile settles a hold at once.
  public func hold(_ found: [(number: Int64, finding: BrigadeDetection.Finding)], at time: Date) async throws -> Int {
    guard !found.isEmpty else { return 0 }
    let sorted = found.sorted { $0.number < $1.number }
    return try await pool.transaction { connection in
      let changed = try await connection.run(
        SQL.addHolds(numbers: sorted.map(\.number), findings: sorted.map(\.finding), time: time))
      let isChanged = Set(changed.map(\.number))
      let members = sorted.filter { isChanged.contains($0.number) }.flatMap { item in
        item.finding.reporters.map { (number: item.number, reporter: $0) }
      }
      if !members.isEmpty { _ = try await connection.run(SQL.addHoldReporters(members: members)) }
      // New ones were held at this time, as PostgreSQL rounds it.
      let waiting = changed.filter { !$0.isSettled && abs($0.heldAt.timeIntervalSince(time)) < 0.000_001 }
      if !waiting.isEmpty {
        _ = try await connection.run(SQL.enqueueCases(waiting.map { ($0.number, .held) }, at: time))
      }
      return waiting.count
    }
  }

  /// Ends holds that no longer apply, with an audit event each; settled ones stay. Their cases are evaluated again.
  /// - Returns: the number of ended holds.
  public func end(_ numbers: [Int64], at time: Date) async throws -> Int {
    guard !numbers.isEmpty else { return 0 }
    return try await pool.change(at: time) { connection in
      let ended = try await connection.run(SQL.endHolds(numbers: numbers.sorted()))
      if !ended.isEmpty {
        _ = try await connection.run(SQL.deleteHoldReporters(numbers: ended.map(\.number)))
        _ = try await connection.run(SQL.enqueueCases(ended.map { ($0.number, .held) }, at: time))
      }
      let events = ended.map {
        Actor.ringfence.did(
          .holdEnd, to: $0.number, before: ["reason": $0.reason, "held_at": $0.heldAt.ISO8601Format()])
      }
      return .made(events, ended.count)
    }
  }

  /// A held number whose reports may identify it.
  public struct WantedLabel: Sendable {
    /// E.164 digits.
    public let number: Int64
    let appID: Int32?
    let isListed: Bool

    /// - Parameters:
    ///   - number: E.164 digits.
    ///   - appID: the app whose budget it needs.
    ///   - isListed: whether it is listed already, so that it needs none.
    public init(number: Int64, appID: Int32?, isListed: Bool) {
      self.number = number
      self.appID = appID
      self.isListed = isListed
    }
  }

  /// Lets the reports of held numbers identify them as far as the apps' daily budgets allow, in the given order.
  /// - Parameters:
  ///   - wanted: held numbers without a label, in the order in which they are labeled.
  ///   - rule: the budget.
  /// - Returns: the labeled numbers.
  public func label(
    _ wanted: [WantedLabel], by rule: IdentifyRule, at time: Date
  ) async throws -> Set<Int64> {
    guard !wanted.isEmpty else { return [] }
    let day = ComplaintDays.beginning(of: time)
    let counts = try await reporters.counts(of: Set(wanted.compactMap(\.appID)), on: day, from: pool)
    return try await pool.transaction { connection in
      let used = try await connection.run(SQL.countLabels(since: day))
      var left = counts.mapValues { rule.dailyLabels(reporters: $0) }
      for item in used { left[item.appID]? -= item.count }
      // Without an app where the label needed no budget.
      var labeled: [Int64: Int32?] = [:]
      for item in wanted {
        if item.isListed {
          labeled[item.number] = .some(nil)
        } else if let app = item.appID, let rest = left[app], rest > 0 {
          left[app] = rest - 1
          labeled[item.number] = app
        }
      }
      if !labeled.isEmpty {
        let sorted = labeled.sorted { $0.key < $1.key }
        _ = try await connection.run(SQL.labelHolds(numbers: sorted.map(\.key), apps: sorted.map(\.value), time: time))
      }
      return Set(labeled.keys)
    }
  }

  /// Stores bursts that hold nothing because they are usual; a later one replaces the earlier one of its number.
  public func addUsual(_ found: [(number: Int64, burst: UsualBurst)], at time: Date) async throws {
    guard !found.isEmpty else { return }
    _ = try await pool.run(SQL.addUsualBursts(found: found.sorted { $0.number < $1.number }, time: time))
  }

  /// The newest hold, also a settled one.
  public func hold(of number: Int64) async throws -> Hold? {
    try await pool.run(SQL.readHold(number: number)).first
  }

  /// Ends the holds of numbers that the plan has by now. Their cases are evaluated again.
  /// - Returns: the number of ended holds.
  @discardableResult
  public func endAssigned(at time: Date) async throws -> Int {
    let waiting = try await pool.run(SQL.readUnassigned(before: .distantFuture))
    return try await end(waiting.filter { PhoneNumber(digits: $0)?.isValid == true }, at: time)
  }

  /// All numbers that are held now, in ascending order.
  public func held() async throws -> [Hold] {
    try await pool.run(SQL.readHolds())
  }

  /// All numbers that are held in a connection's snapshot, in ascending order.
  public func held(on connection: PostgresConnection) async throws -> [Hold] {
    try await connection.run(SQL.readHolds())
  }

  private static func storedHeat(_ heat: Double, at time: Date) -> Double {
    // Stored and decayed heat round differently.
    heat * (1 - 1e-9) * Decay.heat.scale(at: time)
  }
}

/// The number of reporters of each app in the week that ended a week before a day. Each server counts them once a day, because
/// a cluster sends every reporter of the week to the coordinator to count them.
private final class WeeklyReporters: Sendable {
  private let known = Mutex((day: Date.distantPast, counts: [Int32: Int]()))

  /// - Parameter day: midnight UTC.
  func counts(of apps: Set<Int32>, on day: Date, from pool: PostgresPool) async throws -> [Int32: Int] {
    var counts = known.withLock { $0.day == day ? $0.counts : [:] }
    let missing = apps.subtracting(counts.keys).sorted()
    guard !missing.isEmpty else { return counts }
    let week = (from: day.addingTimeInterval(-14 * 86_400), until: day.addingTimeInterval(-7 * 86_400))
    for app in missing { counts[app] = 0 }
    for item in try await pool.run(SQL.countReportersOf(apps: missing, from: week.from, until: week.until)) {
      counts[item.appID] = item.count
    }
    known.withLock { [counts] in $0 = (day, counts) }
    return counts
  }
}
