// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import PostgreSQL
import TestSupport
import Testing

@testable import BenchmarkCommand

@Suite(.database) struct BenchmarkStoreTests {
  /// The scripts write their rows into the scratch schema and not into the real tables.
  @Test func `benchmark scripts write into the scratch schema only`() async throws {
    let configuration = PostgresConfiguration(TestDatabase.current.dsn)
    let connection = try await PostgresConnection.connect(configuration, logger: .forTests)
    let store = BenchmarkStore(connection: connection)
    try await store.prepare(migrations: "\(Checkout.root)/Migrations", at: Date())
    for script in [PgbenchScripts.schemaCheck, PgbenchScripts.oneReport, PgbenchScripts.bareInsert] {
      #expect(!script.contains(/\$\d/), "every placeholder has its value")
      let values = ["number": "12015550123", "reporter": "7", "category": "4", "time": started, "started": started]
      let statement = script.split(separator: "\n").filter { !$0.hasPrefix("\\") }.joined(separator: "\n")
      // Two colons are a cast, one is a variable.
      let marked = statement.replacing("::", with: "\u{1}")
      let sql = values.reduce(marked) { $0.replacing(":\($1.key)", with: $1.value) }.replacing("\u{1}", with: "::")
      try await connection.execute(script: sql)
    }
    let counts = try await store.rowCounts()
    #expect(counts.reports == 1 && counts.bare == 1)
    let real = try await TestDatabase.current.pool.withConnection { try await $0.query("SELECT 1 FROM reports") }
    #expect(real.isEmpty)
    try await store.drop()
    await connection.close()
  }

  private var started: String { "\(Int(Date().timeIntervalSince1970))" }

  @Test func `benchmark ranks are heavy-tailed and their numbers distinct`() {
    #expect(BenchmarkNumbers.rank(of: 0) == 0)
    #expect(BenchmarkNumbers.rank(of: 1 - 0x1p-53) < BenchmarkNumbers.count)
    #expect((300...1_500).contains(BenchmarkNumbers.rank(of: 0.46)))
    #expect(Set((0..<BenchmarkNumbers.count).map(BenchmarkNumbers.number(ofRank:))).count == BenchmarkNumbers.count)
  }
}
