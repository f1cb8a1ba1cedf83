// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// The SQL contract, checked against every statement and the catalog together.
@Suite(.database) struct StatementPlacementTests {
  struct Text: Sendable {
    let name: String
    let sql: String

    /// Whether the text has no interpolations.
    var isWhole: Bool { !sql.contains("\\(") }
  }

  /// The statements of Storage as PostgreSQL receives them, and the text of every statement of the benchmarks.
  static let texts: [Text] = {
    let folder = "\(Checkout.root)/Benchmarks/BenchmarkCommand/SQL"
    let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    let benchmarks = files.filter { $0.hasSuffix(".swift") }.sorted().flatMap { file -> [Text] in
      let text = (try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)) ?? ""
      let pattern =
        #/(?s)static func (\w+)\([^{]*?\) -> Statement<(.*?)>\s*\{\s*Statement\(\s*(?:"""\n(.*?)\n\s*"""|"((?:[^"\\]|\\.)*)")/#
      return text.matches(of: pattern).map { match in
        Text(name: "\(match.1)", sql: (match.3 ?? match.4).map(String.init) ?? "")
      }
    }
    return benchmarks + ((try? StatementList.all().statements) ?? []).map { Text(name: $0.name, sql: $0.sql) }
  }()

  /// Tables that a statement reads or changes. A local table into which it only inserts rows that it has read is
  /// allowed: the coordinator collects and inserts them.
  private static func tables(of text: Text) -> Set<String> {
    let words = text.sql.matches(of: #/(?i)\b(from|join|into|update|using|only)\s+([a-z_]+)/#).compactMap { match in
      let name = String(match.2)
      return match.1.lowercased() == "into" && TablePlacement.all[name] == .local ? nil : name
    }
    return Set(words.filter { TablePlacement.all[$0] != nil })
  }

  @Test func `statements are found in the sources`() {
    #expect(Self.texts.count > 300)
  }

  /// Every table and column in a statement exists. PostgreSQL cannot infer here the types that only the parameters
  /// give.
  @Test func `every statement fits the schema`() async throws {
    try await pool.withConnection { connection in
      for text in Self.texts where text.isWhole {
        do {
          try await connection.execute(script: "PREPARE fits AS \(text.sql); DEALLOCATE fits")
        } catch let error as PostgresError {
          // A table that exists only during a benchmark.
          if error.server?.message.contains("\"benchmark_bare\"") ?? false { continue }
          let isAboutTypes = ["42P18", "42725", "42883", "42804", "42846"].contains(error.sqlState ?? "")
          #expect(isAboutTypes, "\(text.name): \(error.server?.message ?? "\(error)")")
        }
      }
    }
  }

  /// Local tables are on the coordinator: a statement that also uses distributed ones would transfer their rows there.
  @Test func `no statement mixes local and distributed tables`() {
    for text in Self.texts {
      let placements = Set(Self.tables(of: text).compactMap { TablePlacement.all[$0] })
      // A cluster has a statement of its own: acceptReportsByNumber.
      let isMixed =
        text.name != "acceptReports" && placements.contains(.local) && placements.contains(.distributed)
      #expect(!isMixed, "\(text.name): \(Self.tables(of: text).sorted())")
    }
  }

  @Test func `conflict targets of distributed tables include the number`() {
    var count = 0
    for text in Self.texts {
      let inserts = text.sql.matches(of: #/(?is)insert into ([a-z_]+)(.*?)on conflict(?: \(([^)]*)\))?/#)
      for insert in inserts where TablePlacement.all[String(insert.1)] == .distributed {
        count += 1
        #expect(insert.3?.contains("number") ?? false, "\(text.name)")
      }
    }
    #expect(count > 5)
  }

  /// Values of a row must be the same on every node and for every attempt.
  @Test func `statements use no random values of the database`() {
    let forbidden = ["random(", "gen_random_uuid", "transaction_timestamp", "timeofday", "currval", "lastval"]
    for text in Self.texts {
      for word in forbidden { #expect(!text.sql.lowercased().contains(word), "\(text.name): \(word)") }
    }
  }

  /// Leases and heartbeats use the database clock, which all servers share. Rows of distributed and reference tables
  /// must be the same everywhere, so there times are parameters.
  @Test func `only statements on local tables use the database clock`() {
    var count = 0
    for text in Self.texts where text.sql.lowercased().contains("statement_timestamp") {
      count += 1
      let tables = text.sql.matches(of: #/(?i)\b(from|join|into|update|using|only)\s+([a-z_]+)/#).map { String($0.2) }
      for table in tables { #expect([nil, .local].contains(TablePlacement.all[table]), "\(text.name): \(table)") }
    }
    #expect(count > 10)
  }

  /// Code that prints statements.
  private static let ofNoServer = ["Storage/Cluster/ClusterPlan.swift"]

  /// Behind a pooler the next statement may use another connection.
  @Test func `no statement changes the state of a session`() throws {
    let folder = "\(Checkout.root)/Sources"
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where file.hasSuffix(".swift") && !file.hasPrefix("EmbeddedPostgreSQL/")
      && !Self.ofNoServer.contains(file)
    {
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      for pattern in [
        #""SET (?!LOCAL )[a-z_]+ ?(=|TO)"#, #"\b(UN)?LISTEN [a-z_]+"#,
        #"CREATE TEMP(ORARY)? TABLE [a-z]+ \((?![^;]*ON COMMIT DROP)"#, #"WITH HOLD"#,
      ] {
        #expect(text.range(of: pattern, options: .regularExpression) == nil, "\(file): \(pattern)")
      }
    }
  }
}
