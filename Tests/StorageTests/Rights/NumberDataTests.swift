// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct NumberDataTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let number: Int64 = 493_023_125_123
  private var stores: Stores { Stores(pool: TestDatabase.current.pool) }

  /// A new table with numbers is named in one of the two lists.
  @Test func `an access reads every table with a number, or says why not`() async throws {
    let tables: [String] = try await TestDatabase.current.pool.withConnection { connection in
      try await connection.query(
        """
        SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE a.attname = 'number' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND c.relnamespace = 'public'::regnamespace
        """
      ).map { try $0.decode(0) }
    }
    let read = Set(NumberTable.all.map(\.name)).subtracting(["audit_events"])
    #expect(Set(tables) == read.union(NumberTable.others) && read.isDisjoint(with: NumberTable.others))
  }

  @Test func `an access has the reports of a number and no reporter`() async throws {
    let reporter = [UInt8](repeating: 0xAB, count: 16)
    let report = Report(
      number: number, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud, reporter: reporter,
      comment: "Rang at night.", network: [UInt8](repeating: 0xCD, count: 8))
    _ = try await stores.reports.accept([report], receivedAt: now)
    try await stores.auditLog.append(
      AuditEvent(actor: "Grace", role: "moderator", action: "decision.allow", subject: "+\(number)"), at: now)
    let data = try await stores.numberData.data(of: number)
    let text = data.flatMap(\.rows).joined()
    #expect(text.contains("Rang at night.") && text.contains("decision.allow"))
    #expect(!text.contains("abababab") && !text.contains("cdcdcdcd") && !text.contains("Grace"))
    #expect(!text.contains(report.reportID.uuidString.lowercased()))
    #expect(try await stores.numberData.data(of: number + 1).isEmpty)
  }
}
