// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// Rights: what an access and a report of a period must not contain, and the space of erased rows.
@Suite(.database) struct AccessTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private var pool: PostgresPool { TestDatabase.current.pool }
  private var stores: Stores { Stores(pool: pool) }

  private func accept(_ reporters: [[UInt8]?]) async throws {
    let reports = reporters.enumerated().map { index, reporter in
      Report(
        number: 493_023_125_123, appID: Int32(index + 1), reportID: UUID(), reportedAt: now - 60, category: .fraud,
        reporter: reporter, comment: reporter == nil ? nil : "Needle of an erased report.")
    }
    _ = try await stores.reports.accept(reports, receivedAt: now - 60)
  }

  /// A case begins with a report: its time would tell who has called and was reported.
  @Test(arguments: [("queue", "since"), ("queue", "urgency"), ("decisions", "case_since")])
  func `an access leaves out when a case began`(table: String, column: String) throws {
    #expect(try #require(NumberTable.all.first { $0.name == table }).without.contains(column))
  }

  @Test func `a report of a period counts no rows of lists`() async throws {
    try await accept([[UInt8](repeating: 1, count: 16), nil, nil])
    let report = try await stores.transparency.report(
      of: now - 86_400..<now + 86_400, at: now, bits: RemediationFigures.silence)
    #expect(report.reports == 1)
  }

  @Test func `after an erasure the tables with reports are written again`() async throws {
    let reporter = [UInt8](repeating: 1, count: 16)
    try await accept([reporter])
    @Sendable func files() async throws -> Set<Int64> {
      let rows: [Int64] = try await TestDatabase.current.pool.withConnection { connection in
        try await connection.query(
          """
          SELECT pg_relation_filenode(c.oid)::bigint FROM pg_class c
          WHERE c.relname ~ '^(reports_[0-9_]+|number_reporters|reporter_installations)$' AND c.relkind = 'r'
          """
        ).map { try $0.decode(0) }
      }
      return Set(rows)
    }
    let before = try await files()
    #expect(try await stores.erasures.erase([(reporter, now)], at: now, audit: []) == 1)
    #expect(try await stores.retention.vacuumErased(since: now))
    #expect(try await !stores.retention.vacuumErased(since: now + 1))
    #expect(try await files() == before)
    try await stores.erasures.rewriteTables()
    #expect(try await files().isDisjoint(with: before) && before.count > 2)
  }

  @Test func `events of one moment are exported in their order`() async throws {
    let events = (0..<5_000).map {
      Actor(name: "Ada", role: .moderator).did(.sourceAdd, to: "event \($0)")
    }
    #expect(events.map(\.id.uuidString) == events.map(\.id.uuidString).sorted())
    for event in events.prefix(20) { try await stores.auditLog.append(event, at: now) }
    let read = try await stores.auditLog.events(AuditFilter(action: "source.add"), limit: 100)
    #expect(read.map(\.event.subject) == (0..<20).reversed().map { "event \($0)" })
  }
}
