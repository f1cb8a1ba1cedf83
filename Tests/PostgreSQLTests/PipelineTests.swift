// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Testing

/// Several statements in one round trip.
@Suite struct PipelineTests {
  private func keep(divisor: Int64) -> Statement<Int> {
    Statement("INSERT INTO kept VALUES (60 / $1) RETURNING *", divisor) { $0.columnCount }
  }

  private let count = Statement("SELECT count(*) FROM kept") { row -> Int64 in try row.decode(0) }

  private func letters(count: Int64) -> Statement<String> {
    Statement("SELECT chr(96 + i::int) FROM generate_series(1, $1::bigint) i", count) { try $0.decode(0) }
  }

  private let sleepForAMinute = Statement("SELECT pg_sleep(60)") { $0 }

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
          letters(count: 3), keep(divisor: round), count, letters(count: 0))
        #expect(letters == ["a", "b", "c"] && kept == [1] && counts == [round] && none == [])
      }
    }
  }

  @Test(arguments: [true, false]) func `a failing statement rolls back all statements of the pipeline`(prepares: Bool)
    async throws
  {
    try await withTable("pipelines_failing_\(prepares)", preparing: prepares) { connection async throws in
      let error = await #expect(throws: PostgresError.self) {
        try await connection.pipeline(keep(divisor: 1), keep(divisor: 0), keep(divisor: 2))
      }
      #expect(error?.sqlState == "22012" && error?.sql == keep(divisor: 1).sql)
      #expect(try await connection.run(count) == [0])
    }
  }

  @Test func `a pipeline inside a transaction is part of it`() async throws {
    try await withTable("pipelines_inside") { connection async throws in
      struct Enough: Error {}
      await #expect(throws: Enough.self) {
        try await connection.transaction { connection in
          let (_, counts) = try await connection.pipeline(keep(divisor: 1), count)
          #expect(counts == [1])
          throw Enough()
        }
      }
      #expect(try await connection.run(count) == [0])
      let error = await #expect(throws: PostgresError.self) {
        try await connection.transaction { connection in
          _ = try? await connection.pipeline(keep(divisor: 0), count)
        }
      }
      #expect(error?.kind == .transactionAborted)
    }
  }

  @Test func `a stale plan is prepared again`() async throws {
    try await withTable("pipelines_stale") { connection async throws in
      _ = try await connection.pipeline(keep(divisor: 1), count)
      try await connection.execute(script: "ALTER TABLE kept ADD COLUMN more text")
      let (before, columns) = try await connection.pipeline(count, keep(divisor: 1))
      #expect(before == [1] && columns == [2])
      try await connection.execute(script: "DEALLOCATE ALL")
      let (same, after) = try await connection.pipeline(keep(divisor: 1), count)
      #expect(same == [2] && after == [3])
    }
  }

  @Test func `cancelling the task stops the pipeline`() async throws {
    try await withTable("pipelines_cancelled") { connection async throws in
      let pid: Int32 = try #require(try await connection.query("SELECT pg_backend_pid()").first).decode(0)
      let admin = try await PostgresConnection.connect(connection.configuration, logger: .quiet)
      let sleep = Task { _ = try await connection.pipeline(keep(divisor: 1), sleepForAMinute, keep(divisor: 2)) }
      try await wait {
        try await admin.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND wait_event = 'PgSleep'").count == 1
      }
      sleep.cancel()
      let error = await #expect(throws: PostgresError.self) { try await sleep.value }
      #expect(error?.kind == .cancelled)
      #expect(try await connection.run(count) == [0])
      await admin.close()
    }
  }

  @Test func `a lost connection is reported as lost`() async throws {
    try await withTable("pipelines_lost") { connection async throws in
      let pid: Int32 = try #require(try await connection.query("SELECT pg_backend_pid()").first).decode(0)
      let admin = try await PostgresConnection.connect(connection.configuration, logger: .quiet)
      let sleep = Task { _ = try await connection.pipeline(count, sleepForAMinute) }
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
        let letters = pipeline.add(letters(count: 2))
        let settings = pipeline.add(self.settings)
        let counts = pipeline.add(count)
        let results = try await connection.snapshot(pipeline)
        #expect(try results.rows(letters) == ["a", "b"] && results.rows(counts) == [1])
        #expect(try results.rows(settings) == ["repeatable read on"])
      }
      // It writes nothing, and the connection remains usable.
      var writing = PostgresPipeline()
      writing.add(keep(divisor: 1))
      let error = await #expect(throws: PostgresError.self) { try await connection.snapshot(writing) }
      #expect(error?.sqlState == "25006")
      #expect(try await connection.run(count) == [1])
      try await connection.execute(script: "ALTER TABLE kept ADD COLUMN more text; DEALLOCATE ALL")
      var again = PostgresPipeline()
      let counts = again.add(count)
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
          let (settings, counts) = try await connection.pipeline(self.settings, count)
          #expect(settings == ["repeatable read on"] && counts == [0])
        }
      }
      try await connection.transaction { connection in
        _ = try await connection.pipeline(keep(divisor: 1), count)
        _ = try await connection.pipeline(keep(divisor: 2), count)
      }
      #expect(try await connection.run(count) == [2])
    }
  }

  private let settings = Statement(
    "SELECT current_setting('transaction_isolation') || ' ' || current_setting('transaction_read_only')"
  ) { row -> String in try row.decode(0) }
}
