// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import RingfenceCommand

/// PostgreSQL's own benchmark program.
struct Pgbench: Sendable {
  private let program: PostgresProgram
  private let database: PostgresConfiguration
  private let schema: String

  /// Finds the program.
  /// - Parameter schema: where the scripts' tables are.
  /// - Throws: ``CommandFailure`` when there is none; `--no-peers` does not need it.
  init(dsn: String, schema: String) async throws {
    program = try await PostgresProgram.find("pgbench", package: "postgresql", settings: try Settings())
    database = PostgresConfiguration(dsn)
    self.schema = schema
  }

  /// Runs a script for some seconds, each run of it a transaction.
  func run(_ script: String, clients: Int, seconds: Int) async throws -> PgbenchResult {
    let output = try await run(
      script, ["--client=\(clients)", "--jobs=\(min(2, clients))", "--time=\(seconds)"])
    guard let result = PgbenchResult(output: output) else { throw program.failure(output) }
    return result
  }

  /// Runs a script once, for its errors.
  func runOnce(_ script: String) async throws {
    _ = try await run(script, ["--client=1", "--transactions=1"])
  }

  private func run(_ script: String, _ arguments: [String]) async throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "ringfence-\(UUID().uuidString).sql").path
    guard FileManager.default.createFile(atPath: path, contents: Data(script.utf8)) else {
      throw CommandFailure.unreadable("Cannot write \(path).")
    }
    defer { try? FileManager.default.removeItem(atPath: path) }
    let words =
      ["--no-vacuum", "--protocol=prepared", "--define=started=\(Int(Date().timeIntervalSince1970))", "--file=\(path)"]
      + arguments
    return try await program.run(words, on: database, options: "-c search_path=\(schema)")
  }
}
