// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Testing

private struct Stop: Error {}

private let safeInsert = Statement<Void>("INSERT INTO safe VALUES (3)")

@Suite struct TransactionTests {
  private static let script = """
    DROP TABLE IF EXISTS totals; CREATE TABLE totals (id bigint PRIMARY KEY, total bigint NOT NULL);
    INSERT INTO totals VALUES (1, 0), (2, 0)
    """

  private func total(_ connection: PostgresConnection) async throws -> Int64 {
    try #require(try await connection.query("SELECT sum(total)::bigint FROM totals").first).decode(0)
  }

  @Test func `a transaction commits on success and rolls back on an error`() async throws {
    try await withDatabase("transactions") { connection in
      try await connection.execute(script: Self.script)
      try await connection.transaction { try await $0.execute("UPDATE totals SET total = 1") }
      #expect(try await total(connection) == 2)
      await #expect(throws: Stop.self) {
        try await connection.transaction { connection in
          try await connection.execute("UPDATE totals SET total = 9")
          throw Stop()
        }
      }
      #expect(try await total(connection) == 2)
      try await connection.transaction { connection in
        try await connection.execute("UPDATE totals SET total = 5")
        await #expect(throws: Stop.self) {
          try await connection.transaction { connection in
            try await connection.execute("UPDATE totals SET total = 9")
            throw Stop()
          }
        }
        await #expect(throws: PostgresError.self) {
          try await connection.transaction { try await $0.execute("SELECT 1 / 0") }
        }
      }
      #expect(try await total(connection) == 10)
    }
  }

  @Test func `a transaction without statements sends nothing`() async throws {
    try await withDatabase("transactions_empty") { connection in
      #expect(try await connection.transaction { _ in 7 } == 7)
      await #expect(throws: Stop.self) { try await connection.transaction { _ in throw Stop() } }
      // A statement whose preparation fails has still begun the transaction.
      let error = await #expect(throws: PostgresError.self) {
        try await connection.transaction { connection in
          _ = try? await connection.run(nonsense)
          try await connection.execute("UPDATE nowhere SET x = 1")
        }
      }
      #expect(error?.sqlState == "25P02")
      // Savepoints inside begin the transaction, too.
      try await connection.execute(script: Self.script)
      try await connection.transaction { connection in
        try await connection.transaction { try await $0.execute("UPDATE totals SET total = 3") }
      }
      #expect(try await total(connection) == 6)
    }
  }

  @Test func `a transaction ended by a statement is not reported as committed`() async throws {
    try await withDatabase("transactions_by_hand") { connection in
      let error = await #expect(throws: PostgresError.self) {
        try await connection.transaction { try await $0.execute(script: "ROLLBACK") }
      }
      #expect(error?.kind == .transactionAborted)
      try await connection.transaction { try await $0.query("SELECT 1") }
    }
  }

  private let nonsense = Statement<Void>("SELECT FROM WHERE")

  @Test func `a transaction with a swallowed error is not reported as committed`() async throws {
    try await withDatabase("transactions_swallowed") { connection in
      let error = await #expect(throws: PostgresError.self) {
        try await connection.transaction { connection in _ = try? await connection.query("SELECT 1 / 0") }
      }
      #expect(error?.kind == .transactionAborted)
      try await connection.query("SELECT 1")
    }
  }

  @Test func `a warning on commit is not an acknowledgement`() async throws {
    try await withDatabase("transactions_doubt") { connection in
      try await connection.execute(
        script: """
          DROP TABLE IF EXISTS doubts; CREATE TABLE doubts (id bigint);
          CREATE OR REPLACE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE WARNING 'late'; RETURN NULL; END $$;
          CREATE CONSTRAINT TRIGGER late AFTER INSERT ON doubts DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION warn()
          """)
      let error = await #expect(throws: PostgresError.self) {
        try await connection.transaction { try await $0.execute("INSERT INTO doubts VALUES (1)") }
      }
      #expect(error?.kind == .acknowledgementInDoubt)
      #expect(error?.isRetryable == true)
    }
  }

  @Test func `a commit without its standby is not an acknowledgement`() async throws {
    let configuration = try await ScratchCluster.withoutStandby.configuration(database: "doubt")
    let connection = try await PostgresConnection.connect(configuration, logger: .quiet)
    let admin = try await PostgresConnection.connect(configuration, logger: .quiet)
    try await connection.execute(script: "CREATE TABLE safe (id bigint)")
    try await connection.execute(script: "SET synchronous_commit = on")
    let pid: Int32 = try #require(try await connection.query("SELECT pg_backend_pid()").first).decode(0)
    let insert = Task { try await connection.execute("INSERT INTO safe VALUES (1)") }
    let isWaiting: @Sendable () async throws -> Bool = {
      try await admin.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND wait_event = 'SyncRep'").count == 1
    }
    try await wait(for: isWaiting)
    insert.cancel()
    let single = await #expect(throws: PostgresError.self) { try await insert.value }
    #expect(single?.kind == .acknowledgementInDoubt)

    // A COMMIT is not canceled by its task, only by another session.
    let commit = Task {
      try await connection.transaction { try await $0.execute("INSERT INTO safe VALUES (2)") }
    }
    try await wait(for: isWaiting)
    commit.cancel()
    for _ in 0..<20 { #expect(try await isWaiting()) }
    try await admin.query("SELECT pg_cancel_backend(\(pid))")
    let whole = await #expect(throws: PostgresError.self) { try await commit.value }
    #expect(whole?.kind == .acknowledgementInDoubt)

    // Nor is the COMMIT of a pipeline that commits by itself.
    var pipeline = PostgresPipeline()
    pipeline.add(safeInsert)
    let quick = Task { [pipeline] in try await connection.commit(pipeline) }
    try await wait(for: isWaiting)
    quick.cancel()
    for _ in 0..<20 { #expect(try await isWaiting()) }
    try await admin.query("SELECT pg_cancel_backend(\(pid))")
    let third = await #expect(throws: PostgresError.self) { try await quick.value }
    #expect(third?.kind == .acknowledgementInDoubt)
    await admin.close()
    await connection.close()
  }

  @Test func `serialization failures are retried`() async throws {
    try await withPool("transactions_serial", connections: 4) { pool in
      try await pool.withConnection { try await $0.execute(script: Self.script) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<10 {
              try await pool.transaction(.serializable) { connection in
                let now: Int64 = try #require(
                  try await connection.query("SELECT total FROM totals WHERE id = 1").first
                ).decode(0)
                try await connection.execute("UPDATE totals SET total = \(now + 1) WHERE id = 1")
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await pool.withConnection { try await total($0) } == 40)
    }
  }

  @Test func `deadlocks are retried`() async throws {
    try await withPool("transactions_deadlock", connections: 2) { pool in
      try await pool.withConnection { try await $0.execute(script: Self.script) }
      let tries = Counter()
      let arrived = Counter()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (first, second) in [(Int64(1), Int64(2)), (2, 1)] {
          group.addTask {
            try await pool.transaction { connection in
              tries.add(1)
              try await connection.execute("UPDATE totals SET total = total + 1 WHERE id = \(first)")
              arrived.add(1)
              try await wait { arrived.value >= 2 }
              try await connection.execute("UPDATE totals SET total = total + 1 WHERE id = \(second)")
            }
          }
        }
        try await group.waitForAll()
      }
      // On a busy machine, the repeated transaction may meet the other one again.
      #expect(tries.value >= 3)
      #expect(try await pool.withConnection { try await total($0) } == 4)
    }
  }
}
