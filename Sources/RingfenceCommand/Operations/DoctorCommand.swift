import ArgumentParser
import Foundation
import PostgreSQL

/// `ringfence doctor`
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Look whether all is well, and say what to do where it is not.",
    discussion: """
      A line for each thing that was looked at: ok, warning or bad. It changes nothing, and may run beside a server. Exit \
      code 1 when something is bad.
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
      findings.append(.bad("database", "\(error)", "Look whether PostgreSQL runs, and at DATABASE_URL."))
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
