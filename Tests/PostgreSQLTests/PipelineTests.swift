// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Testing

/// Several statements in one round trip.
@Suite struct PipelineTests {
  private struct Keep: PostgresStatement {
    let divisor: Int64

    static let sql = "INSERT INTO kept VALUES (60 / $1) RETURNING *"

    func bind(into parameters: inout PostgresParameters) { parameters.append(divisor) }

    static func decode(_ row: PostgresRow) throws -> Int { row.columnCount }
  }

  private struct Count: PostgresStatement {
    static let sql = "SELECT count(*) FROM kept"

    static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
  }

  private struct Letters: PostgresStatement {
    let count: Int64

    static let sql = "SELECT chr(96 + i::int) FROM generate_series(1, $1::bigint) i"

    func bind(into parameters: inout PostgresParameters) { parameters.append(count) }

    static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
  }

  private struct Sleep: PostgresStatement {
    static let sql = "SELECT pg_sleep(60)"
    typealias Row = PostgresRow
  }

  private func withTable(
    _ name: String, preparing: Bool = true, _ body: @Sendable (PostgresConnection) async throws -> Void
  ) async throws {
    try await withDatabase(name, preparing: preparing) { connection in
      try await connection.execute(script: "DROP TABLE IF EXISTS kept; CREATE TABLE kept (id bigint)")
      try await body(connection)
    }
  }

  @Test(arguments: [true, false]) func `each statement of a pipeline returns its rows`(prepares: Bool) async throws {
    try await withTable("pipelines_\(prepares)", preparing: prepares) { connection async throws in
      for round in 1...3 as ClosedRange<Int64> {
        let (letters, kept, counts, none) = try await connection.pipeline(
          Letters(count: 3), Keep(divisor: round), Count(), Letters(count: 0))
        #expect(letters == ["a", "b", "c"] && kept == [1] && counts == [round] && none == [])
      }
    }
  }

  @Test(arguments: [true, false]) func `a failing statement rolls back all statements of the pipeline`(prepares: Bool)
    async throws
  {
    try await withTable("pipelines_failing_\(prepares)", preparing: prepares) { connection async throws in
      let error = await #expect(throws: PostgresError.self) {
        try await connection.pipeline(Keep(divisor: 1), Keep(divisor: 0), Keep(divisor: 2))
      }
      #expect(error?.sqlState == "22012" && error?.sql == Keep.sql)
      #expect(try await connection.run(Count()) == [0])
    }
  }

  @Test func `a pipeline inside a transaction is part of it`() async throws {
    try await withTable("pipelines_inside") { connection async throws in
      struct Enough: Error {}
      await #expect(throws: Enough.self) {
        try await connection.transaction { connection in
          let (_, counts) = try await connection.pipeline(Keep(divisor: 1), Count())
          #expect(counts == [1])
          throw Enough()
        }
      }
      #expect(try await connection.run(Count()) == [0])
      let error = await #expect(throws: PostgresError.self) {
        try await connection.transaction { connection in
          _ = try? await connection.pipeline(Keep(divisor: 0), Count())
        }
      }
      #expect(error?.kind == .transactionAborted)
    }
  }

  @Test func `a stale plan is prepared again`() async throws {
    try await withTable("pipelines_stale") { connection async throws in
      _ = try await connection.pipeline(Keep(divisor: 1), Count())
      try await connection.execute(script: "ALTER TABLE kept ADD COLUMN more text")
      let (before, columns) = try await connection.pipeline(Count(), Keep(divisor: 1))
      #expect(before == [1] && columns == [2])
      try await connection.execute(script: "DEALLOCATE ALL")
      let (same, after) = try await connection.pipeline(Keep(divisor: 1), Count())
      #expect(same == [2] && after == [3])
    }
  }

  @Test func `cancelling the task stops the pipeline`() async throws {
    try await withTable("pipelines_cancelled") { connection async throws in
      let pid = await connection.processID
      let admin = try await PostgresConnection.connect(connection.configuration, logger: .quiet)
      let sleep = Task { _ = try await connection.pipeline(Keep(divisor: 1), Sleep(), Keep(divisor: 2)) }
      try await wait {
        try await admin.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND wait_event = 'PgSleep'").count == 1
      }
      sleep.cancel()
      let error = await #expect(throws: PostgresError.self) { try await sleep.value }
      #expect(error?.kind == .cancelled)
      #expect(try await connection.run(Count()) == [0])
      await admin.close()
    }
  }

  @Test func `a lost connection is reported as lost`() async throws {
    try await withTable("pipelines_lost") { connection async throws in
      let pid = await connection.processID
      let admin = try await PostgresConnection.connect(connection.configuration, logger: .quiet)
      let sleep = Task { _ = try await connection.pipeline(Count(), Sleep()) }
      try await wait {
        try await admin.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND wait_event = 'PgSleep'").count == 1
      }
      try await admin.query("SELECT pg_terminate_backend(\(pid))")
      let error = await #expect(throws: PostgresError.self) { try await sleep.value }
      #expect(error?.kind == .connectionLost)
      #expect(connection.isClosed)
      await admin.close()
    }
  }

  @Test(arguments: [true, false]) func `all statements of a snapshot see the same state`(prepares: Bool) async throws {
    try await withTable("pipelines_snapshot_\(prepares)", preparing: prepares) { connection async throws in
      try await connection.execute(script: "INSERT INTO kept VALUES (1)")
      for _ in 1...3 {
        var pipeline = PostgresPipeline()
        let letters = pipeline.add(Letters(count: 2))
        let settings = pipeline.add(Settings())
        let counts = pipeline.add(Count())
        let results = try await connection.snapshot(pipeline)
        #expect(try results.rows(letters) == ["a", "b"] && results.rows(counts) == [1])
        #expect(try results.rows(settings) == ["repeatable read on"])
      }
      // It writes nothing, and the connection remains usable.
      var writing = PostgresPipeline()
      writing.add(Keep(divisor: 1))
      let error = await #expect(throws: PostgresError.self) { try await connection.snapshot(writing) }
      #expect(error?.sqlState == "25006")
      #expect(try await connection.run(Count()) == [1])
      try await connection.execute(script: "ALTER TABLE kept ADD COLUMN more text; DEALLOCATE ALL")
      var again = PostgresPipeline()
      let counts = again.add(Count())
      #expect(try await connection.snapshot(again).rows(counts) == [1])
      let inside = await #expect(throws: PostgresError.self) {
        try await connection.transaction { [again] in try await $0.snapshot(again) }
      }
      #expect(inside?.kind == .misuse("a snapshot inside a transaction"))
    }
  }

  @Test func `the first pipeline begins its transaction`() async throws {
    try await withTable("pipelines_beginning") { connection async throws in
      for _ in 1...2 {
        try await connection.transaction(.repeatableRead, readOnly: true) { connection in
          let (settings, counts) = try await connection.pipeline(Settings(), Count())
          #expect(settings == ["repeatable read on"] && counts == [0])
        }
      }
      try await connection.transaction { connection in
        _ = try await connection.pipeline(Keep(divisor: 1), Count())
        _ = try await connection.pipeline(Keep(divisor: 2), Count())
      }
      #expect(try await connection.run(Count()) == [2])
    }
  }

  private struct Settings: PostgresStatement {
    static let sql = """
      SELECT current_setting('transaction_isolation') || ' ' || current_setting('transaction_read_only')
      """

    static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
  }
}
