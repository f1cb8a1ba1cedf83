// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Testing

/// Statements that commit by themselves.
@Suite struct CommitTests {
  private func keep(divisor: Int64) -> Statement<String> {
    Statement("INSERT INTO kept VALUES (60 / $1) RETURNING *, current_setting('enable_seqscan')", divisor) { row in
      "\(row.columnCount): \(try row.decode(row.columnCount - 1, as: String.self))"
    }
  }

  private static let sleepForAMinute = Statement<Void>("SELECT pg_sleep(60)")

  private static func commit<Row>(
    _ statement: Statement<Row>, after setting: String = "SET LOCAL enable_seqscan = off",
    on connection: PostgresConnection
  ) async throws -> [Row] {
    var pipeline = PostgresPipeline()
    pipeline.add(Statement<Void>(setting))
    let place = pipeline.add(statement)
    return try await connection.commit(pipeline).rows(place)
  }

  private func kept(_ connection: PostgresConnection) async throws -> [Int64] {
    try await connection.query("SELECT id::bigint FROM kept ORDER BY id").map { try $0.decode(0) }
  }

  @Test(arguments: [true, false]) func `a successful statement is committed and a failed one is not`(prepares: Bool)
    async throws
  {
    try await withDatabase("commits_\(prepares)", preparing: prepares) { connection in
      try await connection.execute(script: "DROP TABLE IF EXISTS kept; CREATE TABLE kept (id bigint)")
      for divisor in [1, 2, 3] as [Int64] {
        #expect(try await Self.commit(keep(divisor: divisor), on: connection) == ["2: off"])
        let error = await #expect(throws: PostgresError.self) {
          try await Self.commit(keep(divisor: 0), on: connection)
        }
        #expect(error?.sqlState == "22012")
      }
      #expect(try await kept(connection) == [20, 30, 60])
      // The setting ended with the transaction.
      #expect(try await connection.query("SHOW enable_seqscan").first?.decode(0, as: String.self) == "on")
      let bad = await #expect(throws: PostgresError.self) {
        try await Self.commit(keep(divisor: 1), after: "SET LOCAL nothing = off", on: connection)
      }
      #expect(bad?.sqlState == "42704")
      #expect(try await kept(connection).count == 3)
    }
  }

  @Test func `a stale plan is prepared again`() async throws {
    try await withDatabase("commits_stale") { connection in
      try await connection.execute(script: "DROP TABLE IF EXISTS kept; CREATE TABLE kept (id bigint)")
      #expect(try await Self.commit(keep(divisor: 1), on: connection) == ["2: off"])
      try await connection.execute(script: "ALTER TABLE kept ADD COLUMN more text")
      #expect(try await Self.commit(keep(divisor: 2), on: connection) == ["3: off"])
      try await connection.execute(script: "DEALLOCATE ALL")
      #expect(try await Self.commit(keep(divisor: 3), on: connection) == ["3: off"])
      #expect(try await kept(connection) == [20, 30, 60])
    }
  }

  @Test func `cancelling the task stops the statement`() async throws {
    try await withDatabase("commits_cancelled") { connection in
      let pid: Int32 = try #require(try await connection.query("SELECT pg_backend_pid()").first).decode(0)
      let admin = try await PostgresConnection.connect(connection.configuration, logger: .quiet)
      let sleep = Task { try await Self.commit(Self.sleepForAMinute, on: connection) }
      try await wait {
        try await admin.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND wait_event = 'PgSleep'").count == 1
      }
      sleep.cancel()
      let error = await #expect(throws: PostgresError.self) { try await sleep.value }
      #expect(error?.kind == .cancelled)
      #expect(try await connection.query("SELECT 1").count == 1)
      await admin.close()
    }
  }

  @Test func `a lost connection is reported as lost`() async throws {
    try await withDatabase("commits_lost") { connection in
      let pid: Int32 = try #require(try await connection.query("SELECT pg_backend_pid()").first).decode(0)
      let admin = try await PostgresConnection.connect(connection.configuration, logger: .quiet)
      let sleep = Task { try await Self.commit(Self.sleepForAMinute, on: connection) }
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
}
