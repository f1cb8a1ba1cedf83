// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import Foundation
package import PostgreSQL

/// A program of PostgreSQL, such as `pg_dump` or `pgbench`.
package struct PostgresProgram: Sendable {
  let path: String

  /// Finds the program in the folder of the setting `pg-bin`, else in Debian's folders in the server's version or the
  /// next newer one, else in PATH. An older `pg_dump` refuses a newer server.
  /// - Parameters:
  ///   - version: the server's major version; 0 for any version.
  ///   - package: the Debian package that contains it.
  /// - Throws: ``CommandFailure`` if it is not found.
  package static func find(
    _ name: String, version: Int = 0, package: String = "postgresql-client", settings: Settings
  ) throws -> PostgresProgram {
    let manager = FileManager.default
    var folders: [String] = []
    if let chosen = try settings.pgBin { folders.append(chosen) }
    let packages = "/usr/lib/postgresql"
    let versions = ((try? manager.contentsOfDirectory(atPath: packages)) ?? []).compactMap { Int($0) }
    folders += versions.filter { $0 >= version }.sorted().map { "\(packages)/\($0)/bin" }
    folders += (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    guard let path = folders.map({ "\($0)/\(name)" }).first(where: manager.isExecutableFile(atPath:)) else {
      throw CommandFailure.failed(
        "\(name) of PostgreSQL\(version > 0 ? " \(version) or newer" : "") was not found. Install it (Debian: "
          + "apt install \(package)), or set RINGFENCE_PG_BIN to the folder it is in.")
    }
    return PostgresProgram(path: path)
  }

  /// Runs it against a database. The password is passed in the environment, which other accounts cannot read.
  /// - Parameter options: of the session, in the format of PGOPTIONS.
  /// - Returns: its output.
  /// - Throws: ``CommandFailure`` with the last lines of its output if it fails.
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
