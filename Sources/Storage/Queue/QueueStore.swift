import Curation
public import Foundation
public import PostgreSQL

/// What waits for moderators, and who looks at what.
public struct QueueStore: Sendable {
  let pool: PostgresPool

  /// How long a case stays claimed without a word from whoever opened it, in seconds: ten minutes.
  public static let claimLifetime: TimeInterval = 600
  /// Rows of a page.
  public static let pageSize = 50
  /// How many of the most urgent cases ``claimNext(_:by:at:)`` tries at once, and how often.
  private static let (tries, rounds) = (16, 4)

  /// - Parameter pool: where the queue is kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// A page of the queue, the most urgent first.
  /// - Parameters:
  ///   - after: where the page before ended.
  ///   - level: cases of a higher level are left out.
  ///   - limit: at least 1.
  public func page(
    _ filter: QueueFilter = QueueFilter(), after: QueuePlace = .start, level: Int16, limit: Int = pageSize,
    at time: Date
  ) async throws -> [QueueRow] {
    let read = ReadQueue(after: after, filter: filter, level: level, time: time, limit: limit)
    // Whatever is filtered: there is one way through the queue, and to plan it takes as long as to walk it.
    return try await pool.withConnection { try await $0.pipeline(KeepPlans(), read).1 }
  }

  /// A page of the queue with the bulks that broke off and that the worker may finish, all of one moment.
  /// - Parameters: as of ``page(_:after:level:limit:at:)``.
  public func page(
    _ filter: QueueFilter, after: QueuePlace, for worker: QueueWorker, limit: Int, at time: Date
  ) async throws -> (rows: [QueueRow], unfinished: [BulkRun]) {
    var pipeline = PostgresPipeline()
    pipeline.add(KeepPlans())
    let rows = pipeline.add(
      ReadQueue(after: after, filter: filter, level: worker.level, time: time, limit: limit))
    let bulks = ReadUnfinishedBulks(for: worker, limit: 10).map { pipeline.add($0) }
    let results = try await pool.snapshot(pipeline)
    let unfinished = try bulks.map { try results.rows($0) } ?? []
    return (try results.rows(rows), try await BulkStore.counted(unfinished, pool: pool))
  }

  /// How many cases wait, by everything that can be filtered.
  public func queueCounts(at time: Date) async throws -> QueueTotals {
    QueueTotals(groups: try await pool.run(CountQueue(time: time)))
  }

  /// A number's case; nil where it does not wait.
  public func find(_ number: Int64) async throws -> QueueCase? {
    try await pool.run(ReadCase(number: number)).first
  }

  /// Claims a case for whoever opens it.
  /// - Parameter takesOver: takes it from whoever has it.
  public func claim(
    _ number: Int64, by worker: QueueWorker, id: UUID = UUID(), takesOver: Bool = false, at time: Date
  ) async throws -> ClaimOutcome {
    let claim = ClaimCase(number: number, worker: worker, id: id, time: time, takesOver: takesOver)
    if takesOver {
      let mine = try await pool.transaction { connection in
        let before = try await connection.run(ReadCase(number: number)).first?.claim
        let mine = try await connection.run(claim).first
        if mine != nil, let before, before.account != worker.account {
          let event = worker.event("case.take_over", number, before: ["claim": before.account])
          _ = try await connection.run(AppendAuditEvent(event, at: time))
        }
        return mine
      }
      return mine.map { .claimed($0) } ?? .notWaiting
    }
    if let mine = try await commitSoon(claim).first { return .claimed(mine) }
    return try await find(number).map { .taken($0) } ?? .notWaiting
  }

  /// Claims a case that nobody looks at for whoever opens it.
  /// - Returns: nil when somebody else looks at it, when it is for others to look at, or when it does not wait.
  public func take(_ number: Int64, by worker: QueueWorker, at time: Date) async throws -> QueueCase? {
    let claim = ClaimCase(number: number, worker: worker, id: UUID(), time: time, takesOver: false)
    return try await commitSoon(claim).first
  }

  /// Claims the most urgent case that nobody looks at and that the worker has not passed on. Of two who ask at once each
  /// gets another one.
  /// - Returns: nil when there is none.
  public func claimNext(
    _ filter: QueueFilter = QueueFilter(), by worker: QueueWorker, at time: Date
  ) async throws -> QueueCase? {
    for _ in 0..<Self.rounds {
      let find = FindOpenCases(worker: worker, filter: filter, time: time, limit: Self.tries)
      let open = try await pool.withConnection { try await $0.pipeline(KeepPlans(), find).1 }
      for number in open {
        if let mine = try await take(number, by: worker, at: time) { return mine }
      }
      if open.isEmpty { return nil }
    }
    return nil
  }

  /// A claim is a word among those who work just now: after a crash of the database nobody does, and where one is lost the
  /// decision's version keeps two from overruling each other. So nobody waits for it to be on disk.
  private func commitSoon<S: PostgresStatement>(_ statement: S) async throws -> [S.Row] {
    try await pool.withConnection { try await $0.pipeline(CommitSoon(), statement).1 }
  }

  /// Keeps a claim alive for another ``claimLifetime``.
  /// - Returns: false when somebody else has it by now, or the case is settled.
  public func renew(_ number: Int64, account: String, at time: Date) async throws -> Bool {
    let renew = RenewClaim(number: number, account: account, time: time)
    return try await !commitSoon(renew).isEmpty
  }

  /// Gives a claim back.
  /// - Parameter claim: of the opening that ends; another one of the same account stays.
  public func release(_ number: Int64, claim: UUID, account: String) async throws {
    let release = ReleaseClaim(number: number, account: account, id: claim)
    _ = try await commitSoon(release)
  }

  /// Who was not sure about a number.
  public func passes(of number: Int64) async throws -> [String] {
    try await pool.run(ReadPasses(number: number))
  }
}
