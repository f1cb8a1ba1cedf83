// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// A server whose clock is an hour off, either way: it does not consider other servers lost, nor they it.
@Suite(.database) struct ClockTests {
  /// Minutes between a column and what it should be by the database clock.
  private func distance(_ column: String, in table: String, on pool: PostgresPool) async throws -> Double {
    let rows = try await pool.rows(
      """
      SELECT abs(extract(epoch FROM \(unsafeRaw: column) - statement_timestamp())::float8) / 60
      FROM \(unsafeRaw: table)
      """)
    return try rows[0].decode(0, as: Double.self)
  }

  @Test(arguments: [3_600.0, -3_600]) func `a lease expires by the database clock`(ahead: Double) async throws {
    try await TestDatabase.current.withClock(ahead: ahead) { pool in
      let (one, other) = (LeaseStore(pool: pool), LeaseStore(pool: pool))
      let lease = try #require(try await one.take("a job"))
      #expect(try await distance("expires_at", in: "job_leases", on: pool) < 10)
      #expect(try await other.take("a job") == nil)
      #expect(try await one.take("a job") == lease)
      try await pool.withConnection {
        try await $0.execute(script: "UPDATE job_leases SET expires_at = expires_at - interval '31 seconds'")
      }
      #expect(try await other.take("a job") != nil)
    }
  }

  @Test(arguments: [3_600.0, -3_600]) func `a publication heartbeat uses the database clock`(ahead: Double) async throws
  {
    try await TestDatabase.current.withClock(ahead: ahead) { pool in
      let store = PublicationStore(pool: pool)
      let claim = try #require(try await store.claim(1, cause: .schedule, asOf: Date()))
      for column in ["started_at", "heartbeat_at"] {
        #expect(try await distance(column, in: "publications", on: pool) < 10)
      }
      #expect(try await store.claim(2, cause: .schedule, asOf: Date()) == nil)
      #expect(try await store.report(claim, step: .signing, percent: 50))
      #expect(try await distance("heartbeat_at", in: "publications", on: pool) < 10)
      #expect(try await store.attempts(since: Date() - 86_400).running == 1)
      #expect(try await store.isTaken())
      try await store.end(claim, as: .failed, failure: .cannotWrite(path: "/data", detail: "The disk is full"))
      #expect(try #require(try await store.attempts(since: Date() - 86_400).sinceFailure) < 600)
      #expect(try await !store.isTaken())
    }
  }

  @Test(arguments: [3_600.0, -3_600]) func `a running bulk decision is not considered broken`(ahead: Double)
    async throws
  {
    let ada = Actor(name: "Ada", role: .moderator)
    try await TestDatabase.current.withClock(ahead: ahead) { pool in
      let bulks = BulkStore(pool: pool)
      let bulkService = BulkService(pool: pool)
      let bulk = Bulk(treatment: .allow, worker: ada, decidedAt: Date())
      _ = try await bulkService.apply(bulk, to: try await bulks.items([33_199_000_000, 33_199_000_003]))
      try await pool.withConnection { try await $0.execute(script: "UPDATE bulks SET finished_at = NULL") }
      #expect(try await distance("heartbeat_at", in: "bulks", on: pool) < 0.4)
      #expect(try await bulks.unfinished(for: ada).isEmpty)
      try await pool.withConnection {
        try await $0.execute(script: "UPDATE bulks SET heartbeat_at = heartbeat_at - interval '31 seconds'")
      }
      #expect(try await bulks.unfinished(for: ada).map(\.id) == [bulk.id])
    }
  }
}
