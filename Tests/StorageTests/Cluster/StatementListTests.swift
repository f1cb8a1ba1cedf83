// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import TestSupport
import Testing

@testable import Storage

/// All SQL of the server as PostgreSQL receives it, and the placement of each table.
///
/// With `RINGFENCE_STATEMENT_LIST` in the environment the list is written to that file as JSON:
/// Tests/Architecture/test_statements.py parses each statement and refuses shapes that Citus cannot run.
@Suite struct StatementListTests {
  struct List: Encodable {
    struct Statement: Encodable {
      let name: String
      let sql: String
      /// Whether it is a script, which is sent without parameters.
      var isScript = false
    }

    let placements: [String: String]
    let plan: [String]
    let statements: [Statement]
  }

  /// Names of the functions in Storage that return a statement.
  private static func names() throws -> [String] {
    let folder = "\(Checkout.root)/Sources/Storage"
    return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }.sorted()
      .flatMap { file in
        let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        return text.matches(of: #/\n  (?:package )?static func (\w+)\([^{]*?\) -> Statement</#).map { "\($0.1)" }
      }
  }

  /// Texts that depend on a value.
  private static var scripts: [List.Statement] {
    let generation = GenerationSQL(generation: 7)
    let month = Month(year: 2026, month: 11)
    return [
      ("acceptReports.settings", [SQL.acceptReportsSettings]),
      ("CreateReportPartition", [CreateReportPartition(month: month).script]),
      ("DropReportPartition", [DropReportPartition(month: month).script]),
      ("RefreshStatistics", RefreshStatistics.commands),
      ("GenerationSQL.create", generation.create), ("GenerationSQL.attach", generation.attach),
      ("GenerationSQL.drop", generation.drop), ("GenerationSQL.copy", [generation.copy]),
      ("CopyRecords", [CopyRecords(floor: HeatFloor(heat: 1), cut: nil).sql]),
      ("CopyRecords with a cut", [CopyRecords(floor: HeatFloor(heat: 1), cut: (2, 3)).sql]),
    ].flatMap { name, texts in texts.map { List.Statement(name: name, sql: $0, isScript: true) } }
  }

  @Test func `every statement is listed with its text`() throws {
    let names = try Self.names()
    let statements = try StatementList.all().statements
    #expect(names.count > 300)
    let listed = statements.map { $0.name.prefix { $0 != " " } }
    #expect(Set(names).subtracting(listed.map(String.init)).isEmpty, "Add them to StatementList.")
    #expect(Set(statements.map(\.name)).count == statements.count)
    guard let path = ProcessInfo.processInfo.environment["RINGFENCE_STATEMENT_LIST"] else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let list = List(
      placements: TablePlacement.all.mapValues { "\($0)" }, plan: ClusterPlan(shards: 4).steps.map(\.statement),
      statements: statements.map { List.Statement(name: $0.name, sql: $0.sql) } + Self.scripts)
    try encoder.encode(list).write(to: URL(filePath: path))
  }
}
