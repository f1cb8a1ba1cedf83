// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The SQL contract, checked against the text of every statement.
@Suite struct StatementContractTests {
  /// Forbidden patterns, with the reasons.
  static let forbidden: [(pattern: String, why: String)] = [
    ("\\bnow\\s*\\(", "times are parameters"),
    ("\\bcurrent_timestamp\\b", "times are parameters"),
    ("\\bclock_timestamp\\b", "times are parameters"),
    ("\\bdate_trunc\\b", "not immutable on timestamptz"),
    ("\\bmerge\\s+into\\b", "not distributed"),
    ("\\bctid\\b", "not distributed"),
    ("\\bgrouping\\s+sets\\b", "not distributed"),
    ("\\bfor\\s+update\\b", "locks several numbers"),
    ("\\bprepare\\s+transaction\\b", "no two-phase commit by the client"),
    ("\\bpg_advisory_lock\\b", "only pg_advisory_xact_lock"),
    ("\\blisten\\b|\\bnotify\\b", "a hint at most"),
  ]

  private static func files(_ folder: String, _ suffix: String) throws -> [(name: String, text: String)] {
    let root = "\(Checkout.root)/\(folder)"
    return try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(suffix) }.map {
      ("\(folder)/\($0)", try String(contentsOfFile: "\(root)/\($0)", encoding: .utf8))
    }
  }

  @Test func `statements and migrations obey the contract`() throws {
    let files =
      try Self.files("Sources/Storage", ".swift") + Self.files("Benchmarks/BenchmarkCommand/SQL", ".swift")
      + Self.files("Migrations", ".sql")
    #expect(files.count > 10)
    for file in files {
      let code = file.text.split(separator: "\n")
        .filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") && !$0.hasPrefix("--") }
        .joined(separator: "\n").lowercased()
      for rule in Self.forbidden {
        #expect(
          code.range(of: rule.pattern, options: .regularExpression) == nil,
          "\(file.name): \(rule.pattern): \(rule.why)")
      }
    }
  }

  /// SQL is in Storage, and the SQL of migrations and transactions in PostgreSQL.
  @Test func `no other target contains SQL`() throws {
    let sql = #"\b(SELECT .+ FROM|INSERT INTO|UPDATE .+ SET|DELETE FROM|CREATE TABLE)\b"#
    for file in try Self.files("Sources", ".swift")
    where !file.name.hasPrefix("Sources/Storage/") && !file.name.hasPrefix("Sources/PostgreSQL/")
      && !file.name.hasPrefix("Sources/PackDatabases/")
    {
      let found = file.text.split(separator: "\n").filter {
        !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//")
          && $0.range(of: sql, options: .regularExpression) != nil
      }
      #expect(found.isEmpty, "\(file.name)")
    }
  }
}
