// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation
package import PostgreSQL

/// A program of PostgreSQL, such as `pg_dump` or `pgbench`.
package struct PostgresProgram: Sendable {
  let path: String

  /// Finds the program in the folder of the setting `pg-bin`, else in Debian's folders in the server's version or the
  /// next newer one, else in PATH. An older `pg_dump` refuses a newer server, so older ones are passed over.
  /// - Parameters:
  ///   - version: the server's major version; 0 for any version.
  ///   - package: the Debian package that contains it, without the version.
  /// - Throws: ``CommandFailure`` if it is not found.
  package static func find(
    _ name: String, version: Int = 0, package: String = "postgresql-client", settings: Settings
  ) async throws -> PostgresProgram {
    let manager = FileManager.default
    var folders: [String] = []
    if let chosen = try settings.pgBin { folders.append(chosen) }
    let packages = "/usr/lib/postgresql"
    let versions = ((try? manager.contentsOfDirectory(atPath: packages)) ?? []).compactMap { Int($0) }
    folders += versions.filter { $0 >= version }.sorted().map { "\(packages)/\($0)/bin" }
    folders += (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    var older: [String] = []
    for path in folders.map({ "\($0)/\(name)" }) where manager.isExecutableFile(atPath: path) {
      let found = version > 0 ? try await major(of: path) : 0
      guard found < version else { return PostgresProgram(path: path) }
      older.append("\(path) is of version \(found)")
    }
    let wanted = version > 0 ? " \(version) or newer" : ""
    let passed = older.isEmpty ? "" : " (\(older.joined(separator: ", ")))"
    throw CommandFailure.failed(
      "\(name) of PostgreSQL\(wanted) was not found\(passed). Install it (Debian: apt install "
        + "\(package)\(version > 0 ? "-\(version)" : "")), or name the folder it is in: RINGFENCE_PG_BIN, or --pg-bin for "
        + "ringfence backup.")
  }

  /// 0 where the program does not say it.
  private static func major(of path: String) async throws -> Int {
    // "pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
    let (_, output, _) = try await ExternalProgram.run(path, ["--version"])
    return output.firstMatch(of: /\(PostgreSQL\) (\d+)/).flatMap { Int($0.1) } ?? 0
  }

  /// The password is passed in the environment, which other accounts cannot read.
  /// - Parameter options: of the session, in the format of PGOPTIONS.
  /// - Throws: ``CommandFailure`` with the last lines of the program's output if it fails.
  @discardableResult
  package func run(_ arguments: [String], on database: PostgresConfiguration, options: String? = nil) async throws
    -> String
  {
    var variables = try database.environment()
    if let options { variables["PGOPTIONS"] = "\(variables["PGOPTIONS"] ?? "") \(options)" }
    let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
      .merging(variables) { $1 }
    let (status, output, _) = try await ExternalProgram.run(path, arguments, environment: environment)
    guard status == 0 else { throw failure(output) }
    return output
  }

  /// A failure with the last lines of its output.
  package func failure(_ output: String) -> CommandFailure {
    .failed("\(path) failed:\n\(output.split(separator: "\n").suffix(5).joined(separator: "\n"))")
  }
}
