// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Records of reporters, and the weights of their votes.
public struct ReporterStore: Sendable {
  let pool: PostgresPool
  private let rangeSize: Int

  /// - Parameter rangeSize: about how many numbers are compared at once, at least 1.
  public init(pool: PostgresPool, rangeSize: Int = 20_000) {
    self.pool = pool
    self.rangeSize = max(1, rangeSize)
  }

  /// Result of a recount.
  public struct Summary: Sendable, Equatable {
    /// Reporters whose record changed.
    public var reporters = 0
    /// Numbers whose reports were reweighted.
    public var numbers = 0

    public init(reporters: Int = 0, numbers: Int = 0) {
      self.reporters = reporters
      self.numbers = numbers
    }
  }

  /// Calculates every reporter's weight from reports, decisions and holds, and reweights the reports whose stored
  /// weight differs. Reports of protected numbers have the weight 0.
  ///
  /// Only differences are written: a second run right afterwards changes nothing, and the run after an interrupted one
  /// completes it. Reports may arrive meanwhile; one that is stored with an outdated weight is corrected by the next
  /// run.
  /// - Parameter progress: called with the number of compared numbers.
  public func recount(
    protected: ProtectedNumbers, at time: Date, progress: @Sendable (Int) -> Void = { _ in }
  ) async throws -> Summary {
    var summary = Summary()
    summary.reporters = try await recountReporters(at: time)
    var after = RecountStore.allNumbers.lowerBound - 1
    var done = 0
    while after < RecountStore.allNumbers.upperBound {
      try Task.checkCancellation()
      let end = try await pool.run(
        SQL.findRangeEnd(after: after, upTo: RecountStore.allNumbers.upperBound, size: rangeSize))[0]
      let numbers = try await pool.run(SQL.readNumbersOfRange(after: after, upTo: end))
      let unweighed = numbers.filter { protected.rule(for: $0) != nil }
      let misweighed = try await pool.run(SQL.findMisweighed(after: after, upTo: end, unweighed: unweighed))
      for start in stride(from: 0, to: misweighed.count, by: 200) {
        try await reweigh(Array(misweighed[start..<min(start + 200, misweighed.count)]), unweighed: unweighed, at: time)
      }
      summary.numbers += misweighed.count
      done += numbers.count
      progress(done)
      after = end
    }
    return summary
  }

  /// - Returns: the number of changed records.
  private func recountReporters(at time: Date) async throws -> Int {
    try await pool.withConnection { connection in
      var changed = 0
      for try await batch in connection.stream(SQL.recountReporters(time: time)).batches {
        let changes = ReporterChanges(batch, at: time)
        changed += changes.count
        if changes.count > 0 { try await store(changes, at: time) }
      }
      return changed
    }
  }

  private func store(_ changes: ReporterChanges, at time: Date) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.storeReporters(records: changes.records, time: time))
      _ = try await connection.run(SQL.forgetReporters(reporters: changes.forgotten))
      _ = try await connection.run(SQL.storeWeights(weights: changes.weights, time: time))
      _ = try await connection.run(SQL.forgetWeights(reporters: changes.weightless))
    }
  }

  /// Locks in the order of a batch and of a withdrawal: reports, votes, categories, numbers.
  private func reweigh(_ numbers: [Int64], unweighed: [Int64], at time: Date) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.writeShardsInOrder())
      _ = try await connection.run(SQL.reweigh(numbers: numbers, unweighed: unweighed))
      try await connection.repairAggregates(of: numbers, at: time)
    }
  }
}

/// The changes of a recount.
private struct ReporterChanges: Sendable {
  var records: [ReporterRecord] = []
  var forgotten: [Reporter] = []
  var weights: [(reporter: Reporter, weight: Float)] = []
  var weightless: [Reporter] = []
  private(set) var count = 0

  init(_ found: [RecountedReporter], at time: Date) {
    for item in found {
      var isChanged = false
      if let record = item.record {
        if record != item.stored || record.isEstablished(at: time) != item.storedIsEstablished {
          records.append(record)
          isChanged = true
        }
      } else if item.stored != nil {
        forgotten.append(item.reporter)
        isChanged = true
      }
      let newcomer = Float(ReporterWeight.newcomer)
      let weight = item.record.map { Float(ReporterWeight.weight(of: $0, at: time)) } ?? newcomer
      if weight == newcomer {
        if item.storedWeight != nil {
          weightless.append(item.reporter)
          isChanged = true
        }
      } else if weight != item.storedWeight {
        weights.append((item.reporter, weight))
        isChanged = true
      }
      if isChanged { count += 1 }
    }
  }
}

/// A reporter in a list: pseudonym and figures.
public struct ReporterLine: Sendable, Equatable {
  public var record: ReporterRecord
  /// Whether the reporter was established at the last recount.
  public var isEstablished: Bool
  /// The weight of the reporter's votes, 0 to 1.
  public var weight: Double
}

public struct ReporterCursor: Sendable, Equatable {
  /// The last reporter's rank: the count of bursts, or of compared decisions.
  public var rank: Int32
  public var reporter: Reporter

  public init(rank: Int32, reporter: Reporter) {
    self.rank = rank
    self.reporter = reporter
  }
}

public struct ReporterCounts: Sendable, Equatable {
  /// Reporters with more than a newcomer's record.
  public var known: Int64 = 0
  /// Reporters who are established; see ``ReporterRecord/isEstablished(at:)``.
  public var established: Int64 = 0
  /// Reporters with enough compared decisions for their own weight.
  public var judged: Int64 = 0
  /// Reporters in a burst against a number that a moderator then allowed.
  public var caught: Int64 = 0
  /// When a recount last changed something; nil before that.
  public var recountedAt: Date?
}

extension ReporterStore {
  /// Reporters in a burst against a number that was then allowed; most bursts first.
  public func caught(after: ReporterCursor?, limit: Int) async throws -> [ReporterLine] {
    try await pool.run(SQL.readCaughtReporters(after: after, limit: limit))
  }

  /// Reporters with compared decisions; most comparisons first.
  public func judged(after: ReporterCursor?, limit: Int) async throws -> [ReporterLine] {
    try await pool.run(SQL.readJudgedReporters(after: after, limit: limit))
  }

  public func counts() async throws -> ReporterCounts {
    try await pool.run(SQL.countReporters()).first ?? ReporterCounts()
  }
}
