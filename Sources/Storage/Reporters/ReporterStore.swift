public import Curation
public import Foundation
public import PostgreSQL

/// Reporters: what is known of them, and what their words weigh.
public struct ReporterStore: Sendable {
  let pool: PostgresPool
  private let rangeSize: Int

  /// - Parameter rangeSize: about how many numbers are looked through at once, at least 1.
  public init(pool: PostgresPool, rangeSize: Int = 20_000) {
    self.pool = pool
    self.rangeSize = max(1, rangeSize)
  }

  /// What a recount came to.
  public struct Summary: Sendable, Equatable {
    /// Reporters of whom something else is known than before.
    public var reporters = 0
    /// Numbers whose reports were weighed anew.
    public var numbers = 0

    /// - Parameters: see the properties.
    public init(reporters: Int = 0, numbers: Int = 0) {
      self.reporters = reporters
      self.numbers = numbers
    }
  }

  /// Works out every reporter's weight from reports, decisions and holds, and weighs the reports anew whose weight is not
  /// what it should be. Reports of protected numbers weigh nothing.
  ///
  /// It changes nothing but what differs: a second run right after it finds nothing to do, and one that was broken off
  /// is made up for by the next. Reports may come in meanwhile; one that is weighed by a weight that changes in the same
  /// moment is found by the next run.
  /// - Parameter progress: told how many numbers were looked through.
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
        FindRangeEnd(after: after, upTo: RecountStore.allNumbers.upperBound, size: rangeSize))[0]
      let numbers = try await pool.run(ReadNumbersOfRange(after: after, upTo: end))
      let unweighed = numbers.filter { protected.rule(for: $0) != nil }
      let misweighed = try await pool.run(FindMisweighed(after: after, upTo: end, unweighed: unweighed))
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

  /// - Returns: how many changed.
  private func recountReporters(at time: Date) async throws -> Int {
    try await pool.withConnection { connection in
      var changed = 0
      for try await batch in connection.stream(RecountReporters(time: time)).batches {
        let changes = ReporterChanges(batch, at: time)
        changed += changes.count
        if changes.count > 0 { try await store(changes, at: time) }
      }
      return changed
    }
  }

  private func store(_ changes: ReporterChanges, at time: Date) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(StoreReporters(records: changes.records, time: time))
      _ = try await connection.run(ForgetReporters(reporters: changes.forgotten))
      _ = try await connection.run(StoreWeights(weights: changes.weights, time: time))
      _ = try await connection.run(ForgetWeights(reporters: changes.weightless))
    }
  }

  /// In the order in which a batch and a withdrawal lock: reports, words, categories, numbers.
  private func reweigh(_ numbers: [Int64], unweighed: [Int64], at time: Date) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(Reweigh(numbers: numbers, unweighed: unweighed))
      try await connection.repairAggregates(of: numbers, at: time)
    }
  }
}

/// What a recount changes.
private struct ReporterChanges: Sendable {
  var records: [ReporterRecord] = []
  var forgotten: [Reporter] = []
  var weights: [(reporter: Reporter, weight: Float)] = []
  var weightless: [Reporter] = []
  private(set) var count = 0

  init(_ found: [RecountReporters.Found], at time: Date) {
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
