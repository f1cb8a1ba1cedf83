// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Testing

private func insertNumber(number: Int64, name: String?) -> Statement<Void> {
  Statement("INSERT INTO numbers (number, name) VALUES ($1, $2)", number, name)
}

private let allNumbers = Statement("SELECT * FROM numbers ORDER BY number") { row -> Int64 in try row.decode(0) }

func series(last: Int64, divisor: Int64 = 1) -> Statement<Int64> {
  Statement("SELECT n, n::text FROM generate_series(1, $1) AS n WHERE n % $2 = 0", last, divisor) { try $0.decode(0) }
}

private let freshNumbers = "DROP TABLE IF EXISTS numbers; CREATE TABLE numbers (number bigint PRIMARY KEY, name text)"

@Suite struct StatementTests {
  @Test(arguments: [true, false]) func `statements run with and without preparation`(prepared: Bool) async throws {
    var configuration = try await ScratchCluster.shared.configuration(database: "statements_\(prepared)")
    configuration.usesPreparedStatements = prepared
    let connection = try await PostgresConnection.connect(configuration, logger: .quiet)
    try await connection.execute(script: freshNumbers)
    _ = try await connection.run(insertNumber(number: 2, name: nil))
    #expect(try await connection.runReportingCount(insertNumber(number: 1, name: "one")) == 1)
    #expect(try await connection.run(allNumbers) == [1, 2])
    let names = try await connection.query("SELECT count(*) FROM pg_prepared_statements")
    #expect(try #require(names.first).decode(0, as: Int.self) == (prepared ? 2 : 0))
    #expect(try await connection.execute("DELETE FROM numbers WHERE number = \(Int64(1))") == 1)
    await connection.close()
    await connection.close()
    let closed = await #expect(throws: PostgresError.self) { try await connection.run(allNumbers) }
    #expect(closed?.kind == .connectionClosed)
  }

  @Test func `stale plans are prepared again`() async throws {
    try await withDatabase("stale") { connection in
      try await connection.execute(script: freshNumbers + "; INSERT INTO numbers VALUES (1)")
      #expect(try await connection.run(allNumbers) == [1])
      try await connection.execute(script: "ALTER TABLE numbers ADD COLUMN more integer")
      #expect(try await connection.run(allNumbers) == [1])
      try await connection.execute(script: "DEALLOCATE ALL")
      #expect(try await connection.run(allNumbers) == [1])
      #expect(try await connection.run(allNumbers) == [1])
    }
  }

  @Test func `a stream returns its rows in batches`() async throws {
    try await withDatabase("streams") { connection in
      for (last, size) in [(Int64(0), 10), (9, 10), (10, 10), (25_000, 1_000)] {
        var next: Int64 = 0
        for try await number in connection.stream(series(last: last), batchSize: size) {
          next += 1
          #expect(number == next)
        }
        #expect(next == last)
      }
      var even = 0
      for try await batch in connection.stream(series(last: 100, divisor: 2), batchSize: 30).batches {
        even += batch.count
      }
      #expect(even == 50)
      #expect(try await connection.query("SELECT 1").count == 1)
    }
  }

  @Test func `a stream may be left early`() async throws {
    try await withDatabase("streams_left") { connection in
      for try await number in connection.stream(series(last: 1_000_000), batchSize: 100) where number == 150 { break }
      #expect(try await connection.query("SELECT 1").count == 1)
      try await connection.execute(script: freshNumbers)
      _ = try await connection.run(insertNumber(number: 1, name: nil))
      let division = Statement<Int32>("SELECT 1 / (3 - n) FROM generate_series(1, 10) AS n") { try $0.decode(0) }
      let fails = connection.stream(division, batchSize: 1)
      await #expect(throws: PostgresError.self) { for try await _ in fails {} }
      #expect(try await connection.run(allNumbers) == [1])
    }
  }

  @Test func `an open stream blocks other statements outside a transaction`() async throws {
    try await withDatabase("streams_alone") { connection in
      try await connection.execute(script: freshNumbers)
      var iterator = connection.stream(series(last: 1_000), batchSize: 100).makeAsyncIterator()
      _ = try await iterator.next()
      let refused = await #expect(throws: PostgresError.self) { try await connection.query("SELECT 1") }
      #expect(refused?.kind == .misuse("another statement while a COPY or a stream is open"))
      while try await iterator.next() != nil {}
      try await connection.transaction { connection in
        for try await number in connection.stream(series(last: 250), batchSize: 100) {
          _ = try await connection.run(insertNumber(number: number, name: nil))
        }
      }
      #expect(try await connection.run(allNumbers).count == 250)
    }
  }

  @Test func `cancelling a task cancels its statement`() async throws {
    try await withDatabase("cancel") { connection in
      let pid: Int32 = try #require(try await connection.query("SELECT pg_backend_pid()").first).decode(0)
      let sleeper = Task { try await connection.query("SELECT pg_sleep(600)") }
      try await withDatabase("cancel") { other in
        try await wait {
          try await other.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND state = 'active'").count == 1
        }
      }
      sleeper.cancel()
      let error = await #expect(throws: PostgresError.self) { try await sleeper.value }
      #expect(error?.kind == .cancelled)
      #expect(try await connection.query("SELECT 1").count == 1)
      for _ in 0..<50 {
        let early = Task { try await connection.query("SELECT pg_sleep(600)") }
        early.cancel()
        await #expect(throws: PostgresError.self) { try await early.value }
        #expect(try await connection.query("SELECT 1").count == 1)
      }
    }
  }

  @Test func `notices reach the handler`() async throws {
    try await withDatabase("notices") { connection in
      let seen = Recorder<PostgresMessage>()
      connection.onNotice { notice in seen.append(notice) }
      try await connection.execute(script: "DO $$ BEGIN RAISE NOTICE 'first'; RAISE WARNING 'second'; END $$")
      connection.onNotice(nil)
      try await connection.execute(script: "DO $$ BEGIN RAISE NOTICE 'third'; END $$")
      #expect(seen.values.map(\.message) == ["first", "second"])
      #expect(seen.values.map(\.severity) == ["NOTICE", "WARNING"])
    }
  }
}
