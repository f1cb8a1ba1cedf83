// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PostgreSQL

/// `ringfence doctor`
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check the installation and print what to correct.",
    discussion: """
      Prints one line per check: ok, warning or bad. Changes nothing, and can run while a server runs. The exit code is 1 \
      if a check is bad.
      """)

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "Print a JSON array of objects with what, state, found and advice.")
  var json = false

  func run() async throws {
    let folder = try DataFolder(existing: database.settings())
    var findings = FolderChecks(folder: folder).findings()
    do {
      findings += try await CommandContext.open(
        database, owns: false, migrates: false, logger: .quiet
      ) { context in
        try await DatabaseChecks(context: context).findings()
      }
    } catch let error as PostgresError {
      findings.append(.bad("database", "\(error)", "Check that PostgreSQL runs and that DATABASE_URL is correct."))
    }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      print(String(decoding: try encoder.encode(findings), as: UTF8.self))
    } else {
      for finding in findings { print(finding.line) }
    }
    if findings.contains(where: { $0.state == .bad }) { throw ExitCode(1) }
  }
}
