public import Curation
public import Foundation
public import PostgreSQL

/// Numbers that rules against brigades keep back, and what those rules look at.
public struct HoldStore: Sendable {
  private let pool: PostgresPool
  private let batchSize: Int

  /// - Parameter batchSize: how many numbers are looked at in one statement, at least 1.
  public init(pool: PostgresPool, batchSize: Int = 200) {
    self.pool = pool
    self.batchSize = max(1, batchSize)
  }

  /// Hands over what reporters say of numbers that would be new to a publication: not listed, not ruled, not held.
  /// - Parameters:
  ///   - heat: decayed, at least; what is colder is listed by no threshold.
  ///   - reporters: the fewest reporters.
  ///   - connection: reads one snapshot.
  public func forEachReviewable(
    hotterThan heat: Double, reporters: Int, at time: Date, on connection: PostgresConnection,
    _ body: ([NumberVoices]) async throws -> Void
  ) async throws {
    let mass = Self.mass(heat, at: time)
    try await forEachBatch(at: time, on: connection, body) { after in
      ReadReviewable(after: after, heat: mass, reporters: reporters, limit: batchSize)
    }
  }

  /// Hands over what reporters say of about `size` hot numbers, listed ones among them.
  public func forEachOfSample(
    hotterThan heat: Double, size: Int, at time: Date, on connection: PostgresConnection,
    _ body: ([NumberVoices]) async throws -> Void
  ) async throws {
    let mass = Self.mass(heat, at: time)
    let count = try await connection.run(CountHot(heat: mass))[0]
    let oneOf = max(1, count / max(1, size))
    try await forEachBatch(at: time, on: connection, body) { after in
      SampleHot(after: after, heat: mass, oneOf: oneOf, limit: batchSize)
    }
  }

  /// How many reporters are established, counted up to `limit`.
  public func establishedReporters(limit: Int, on connection: PostgresConnection) async throws -> Int {
    try await connection.run(CountEstablished(limit: limit))[0]
  }

  /// Reads one snapshot.
  public func withSnapshot<Result: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    try await pool.withConnection { try await $0.transaction(.repeatableRead, readOnly: true, body) }
  }

  /// Holds numbers; those that are held, or were once, stay as they are. Safe to call again.
  /// - Returns: how many are new.
  public func hold(_ found: [(number: Int64, finding: Brigading.Finding)], at time: Date) async throws -> Int {
    guard !found.isEmpty else { return 0 }
    let sorted = found.sorted { $0.number < $1.number }
    return try await pool.transaction { connection in
      let new = try await connection.run(
        AddHolds(numbers: sorted.map(\.number), findings: sorted.map(\.finding), time: time))
      let isNew = Set(new)
      let members = sorted.filter { isNew.contains($0.number) }.flatMap { item in
        item.finding.reporters.map { (number: item.number, reporter: $0) }
      }
      if !members.isEmpty { _ = try await connection.run(AddHoldReporters(members: members)) }
      if !new.isEmpty { _ = try await connection.run(EnqueueCases(new.map { ($0, .held) }, at: time)) }
      return new.count
    }
  }

  /// What holds a number, or has; nil where nothing ever did.
  public func hold(of number: Int64) async throws -> Hold? {
    try await pool.run(ReadHolds(only: number, isWithSettled: true)).first
  }

  /// All numbers that are held now, in ascending order.
  public func held() async throws -> [Hold] {
    try await pool.run(ReadHolds())
  }

  private static func mass(_ heat: Double, at time: Date) -> Double {
    // A mass and a value round differently.
    heat * (1 - 1e-9) * Decay.heat.scale(at: time)
  }

  private func forEachBatch<S: PostgresStatement>(
    at time: Date, on connection: PostgresConnection, _ body: ([NumberVoices]) async throws -> Void,
    _ statement: (Int64) -> S
  ) async throws where S.Row == Int64 {
    var after: Int64 = 0
    while true {
      try Task.checkCancellation()
      let numbers = try await connection.run(statement(after))
      guard let last = numbers.last else { return }
      try await body(try await voices(of: numbers, at: time, on: connection))
      after = last
    }
  }

  private func voices(
    of numbers: [Int64], at time: Date, on connection: PostgresConnection
  ) async throws -> [NumberVoices] {
    let windowStart = time.addingTimeInterval(-Double(Brigading.window) * 86_400)
    let statement = ReadVoices(numbers: numbers, windowStart: windowStart)
    var all: [NumberVoices] = []
    var voices: [Voice] = []
    var number: Int64 = 0
    for try await batch in connection.stream(statement).batches {
      for row in batch {
        if row.number != number {
          if !voices.isEmpty { all.append(NumberVoices(number: number, voices: voices)) }
          (number, voices) = (row.number, [])
        }
        voices.append(row.voice(at: time))
      }
    }
    if !voices.isEmpty { all.append(NumberVoices(number: number, voices: voices)) }
    return all
  }
}
