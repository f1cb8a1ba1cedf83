// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import Testing

@Suite struct PoolTests {
  @Test func `the pool never opens more connections than its limit`() async throws {
    try await withPool("pool_bound", connections: 3) { pool in
      let now = Counter()
      let most = Counter()
      try await withThrowingTaskGroup(of: Int32.self) { group in
        for _ in 0..<60 {
          group.addTask {
            try await pool.withConnection { connection in
              most.raise(to: now.add(1))
              try await connection.query("SELECT 1")
              now.add(-1)
              return await connection.processID
            }
          }
        }
        var processes: Set<Int32> = []
        for try await process in group { processes.insert(process) }
        #expect(processes.count <= 3)
      }
      #expect(most.value <= 3)
      #expect(pool.occupancy.leased == 0)
    }
  }

  @Test func `waiters are served in order`() async throws {
    try await withPool("pool_order", connections: 1) { pool in
      let gate = Gate()
      let order = Recorder<Int>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await pool.withConnection { _ in try await gate.pass() } }
        try await wait { pool.occupancy.leased == 1 }
        for number in 0..<10 {
          group.addTask { try await pool.withConnection { _ in order.append(number) } }
          try await wait { pool.occupancy.waiting == number + 1 }
        }
        gate.open()
        try await group.waitForAll()
      }
      #expect(order.values == Array(0..<10))
    }
  }

  @Test func `an urgent task is served before others, and not refused because of them`() async throws {
    try await withPool("pool_urgent", connections: 1, waiters: 10) { pool in
      let gate = Gate()
      let order = Recorder<Int>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await pool.withConnection { _ in try await gate.pass() } }
        try await wait { pool.occupancy.leased == 1 }
        for number in 0..<12 {
          // The last two are urgent.
          group.addTask {
            try await PostgresPool.$isUrgent.withValue(number >= 10) {
              try await pool.withConnection { _ in order.append(number) }
            }
          }
          try await wait { pool.occupancy.waiting == number + 1 }
        }
        gate.open()
        try await group.waitForAll()
      }
      #expect(order.values == [10, 11] + Array(0..<10))
    }
  }

  /// A pooler or a proxy keeps connections to a primary that is a standby now.
  @Test func `connections to a server that only reads are replaced`() async throws {
    try await withPool("pool_standby", connections: 2) { pool in
      let create = Statement<Void>("CREATE TABLE IF NOT EXISTS written (number bigint)")
      try await pool.withConnection { one in
        try await pool.withConnection { other in
          for connection in [one, other] {
            try await connection.execute(script: "SET default_transaction_read_only = on")
          }
        }
      }
      await #expect(throws: PostgresError.self) { try await pool.run(create) }
      _ = try await pool.run(create)
      #expect(pool.occupancy == (0, 1, 0))
    }
  }

  @Test func `waiting for a connection has a time limit`() async throws {
    try await withPool("pool_limit", connections: 1, waitLimit: .milliseconds(50)) { pool in
      try await pool.withConnection { connection in
        let error = await #expect(throws: PostgresError.self) { try await pool.withConnection { _ in } }
        #expect(error?.kind == .poolTimeout(waitLimit: .milliseconds(50)))
        let again = await #expect(throws: PostgresError.self) { try await pool.withConnection { _ in } }
        #expect(again?.kind == .poolTimeout(waitLimit: .milliseconds(50)))
        try await connection.query("SELECT 1")
      }
      #expect(try await pool.withConnection { try await $0.query("SELECT 1").count } == 1)
    }
  }

  @Test func `a request behind too many waiters is refused immediately`() async throws {
    try await withPool("pool_crowd", connections: 1, waiters: 2) { pool in
      let gate = Gate()
      let holder = Task { try await pool.withConnection { _ in try await gate.pass() } }
      try await wait { pool.occupancy.leased == 1 }
      let waiting = (0..<2).map { number in Task { try await pool.withConnection { _ in number } } }
      try await wait { pool.occupancy.waiting == 2 }
      let error = await #expect(throws: PostgresError.self) { try await pool.withConnection { _ in } }
      #expect(error?.kind == .poolTimeout(waitLimit: .zero))
      gate.open()
      for (number, task) in waiting.enumerated() { #expect(try await task.value == number) }
      try await holder.value
      #expect(try await pool.withConnection { _ in true })
    }
  }

  @Test func `a cancelled waiter leaves the queue`() async throws {
    try await withPool("pool_cancel", connections: 1) { pool in
      let gate = Gate()
      let holder = Task { try await pool.withConnection { _ in try await gate.pass() } }
      try await wait { pool.occupancy.leased == 1 }
      let first = Task { try await pool.withConnection { _ in 1 } }
      try await wait { pool.occupancy.waiting == 1 }
      let second = Task { try await pool.withConnection { _ in 2 } }
      try await wait { pool.occupancy.waiting == 2 }
      first.cancel()
      let error = await #expect(throws: PostgresError.self) { try await first.value }
      #expect(error?.kind == .cancelled)
      #expect(pool.occupancy.waiting == 1)
      gate.open()
      #expect(try await second.value == 2)
      try await holder.value
    }
  }

  @Test func `an open transaction or stream is ended when the connection returns`() async throws {
    try await withPool("pool_reset", connections: 1) { pool in
      try await pool.withConnection { connection in
        try await connection.execute(script: "DROP TABLE IF EXISTS left_open; CREATE TABLE left_open (id bigint)")
        try await connection.execute(script: "BEGIN; INSERT INTO left_open VALUES (1)")
      }
      let count = try await pool.withConnection { try await $0.query("SELECT 1 FROM left_open").count }
      #expect(count == 0)
      let first = try await pool.withConnection { connection in
        let sql = "COPY (SELECT generate_series(1, 3000000)) TO STDOUT (FORMAT binary)"
        var iterator = connection.copyOut(sql, read: { $0.int32() }).makeAsyncIterator()
        _ = try await iterator.next()
        return await connection.processID
      }
      let second = try await pool.withConnection { connection in
        try await connection.query("SELECT 1")
        return await connection.processID
      }
      #expect(first == second)
    }
  }

  @Test func `lost connections are replaced`() async throws {
    try await withPool("pool_lost", connections: 2) { pool in
      let first = try await pool.withConnection { await $0.processID }
      try await withDatabase("pool_lost") { other in
        // Idle: the check of the socket detects it.
        try await other.query("SELECT pg_terminate_backend(\(first), 10000)")
        let second = try await pool.withConnection { connection in
          try await connection.query("SELECT 1")
          return await connection.processID
        }
        #expect(second != first)
        // In use: the statement fails with a retryable error.
        let error = await #expect(throws: PostgresError.self) {
          try await pool.withConnection { connection in
            try await other.query("SELECT pg_terminate_backend(\(second), 10000)")
            try await connection.query("SELECT 1")
          }
        }
        #expect(error?.kind == .connectionLost)
        #expect(error?.isRetryable == true)
        #expect(pool.occupancy == (0, 0, 0))
        // With retries the caller notices nothing.
        let tries = Counter()
        let answer = try await pool.transaction { connection in
          if tries.add(1) < 3 {
            let victim = await connection.processID
            try await other.query("SELECT pg_terminate_backend(\(victim), 10000)")
          }
          return try await connection.query("SELECT 42").count
        }
        #expect(answer == 1)
        #expect(tries.value == 3)
        let single = Counter()
        let statement = try await pool.retrying { connection in
          if single.add(1) < 2 {
            let victim = await connection.processID
            try await other.query("SELECT pg_terminate_backend(\(victim), 10000)")
          }
          return try await connection.run(series(last: 3))
        }
        #expect(statement == [1, 2, 3])
      }
    }
  }

  @Test func `ending a lost connection ends no other one that has its descriptor since`() async throws {
    let cutter = ConnectionCutter()
    try await withPool("pool_descriptor", connections: 1) { pool in
      try await cutter.watching {
        try await pool.withConnection { connection in
          let process = await connection.processID
          _ = try await withDatabase("pool_descriptor") {
            try await $0.query("SELECT pg_terminate_backend(\(process), 10000)")
          }
          // libpq closes its socket here.
          await #expect(throws: PostgresError.self) { try await connection.query("SELECT 1") }
          // New descriptors have the lowest free numbers.
          let pairs = (0..<8).map { _ in
            var pair: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
            return pair
          }
          cutter.cut(after: .zero)
          for end in pairs.joined() { #expect(send(end, "x", 1, Int32(MSG_NOSIGNAL)) == 1) }
          for end in pairs.joined() { close(end) }
        }
      }
    }
  }

  @Test func `a session that waits for a lock ends when its connection is cut`() async throws {
    let cutter = ConnectionCutter()
    try await withPool("pool_cut", connections: 3) { pool in
      try await pool.withConnection { holder in
        try await holder.query("SELECT pg_advisory_lock(1)")
        let waiting: @Sendable () async throws -> Bool = {
          try await pool.withConnection {
            try await $0.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").count == 1
          }
        }
        let waiter = Task {
          try await cutter.watching {
            try await pool.withConnection { try await $0.query("SELECT pg_advisory_lock(1)") }
          }
        }
        try await wait { try await waiting() }
        cutter.cut(after: .zero)
        await #expect(throws: PostgresError.self) { try await waiter.value }
        try await wait { try await !waiting() }
      }
    }
  }

  @Test func `an unreachable server is an error`() async throws {
    let configuration = PostgresConfiguration("host=/nonexistent password=hunter2secret user=someone")
    let pool = PostgresPool(configuration, maximumConnections: 1, waitLimit: .seconds(5), logger: .quiet)
    for _ in 0..<3 {
      let error = await #expect(throws: PostgresError.self) { try await pool.run(series(last: 1)) }
      #expect(error?.kind == .connectionFailed)
    }
    let policy = PostgresRetryPolicy(maximumAttempts: 3, firstPause: .milliseconds(1), longestPause: .milliseconds(1))
    await #expect(throws: PostgresError.self) { try await pool.retrying(policy) { try await $0.query("SELECT 1") } }
    #expect(pool.occupancy == (0, 0, 0))
    await pool.shutdown()
  }

  @Test func `shutdown waits for leased connections`() async throws {
    let configuration = try await ScratchCluster.shared.configuration(database: "pool_shutdown")
    let pool = PostgresPool(configuration, maximumConnections: 1, waitLimit: .seconds(20), logger: .quiet)
    let gate = Gate()
    let holder = Task {
      try await pool.withConnection { connection in
        try await gate.pass()
        return try await connection.query("SELECT 1").count
      }
    }
    try await wait { pool.occupancy.leased == 1 }
    let waiter = Task { try await pool.withConnection { _ in } }
    try await wait { pool.occupancy.waiting == 1 }
    let over = Counter()
    async let ending: Void = {
      await pool.shutdown()
      over.add(1)
    }()
    let refused = await #expect(throws: PostgresError.self) { try await waiter.value }
    #expect(refused?.kind == .poolShutDown)
    #expect(over.value == 0)
    gate.open()
    await ending
    #expect(try await holder.value == 1)
    await #expect(throws: PostgresError.self) { try await pool.run(series(last: 1)) }
    await pool.shutdown()
  }
}
