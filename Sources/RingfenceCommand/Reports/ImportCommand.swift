// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import Importing
import PhoneNumbers
import Storage

/// `ringfence import`
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import lists of complaints and business directories.",
    subcommands: [Complaints.self, Directory.self])

  /// `ringfence import complaints FILE --format FORMAT`
  struct Complaints: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import a file of complaints. Importing it again adds nothing.",
      discussion: """
        Formats: ftc-tsv (date, number, area code), ftc-csv (the FTC's daily Do Not Call files), jsonl (one JSON object \
        per line with the fields of POST /v1/reports). Gzip files are decompressed.

        Resources/ftc-subjects.tsv maps the FTC's subjects to categories. Use another table with --subjects.
        """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "File to import, or - for standard input.")
    var file: String

    @Option(help: "Format: ftc-tsv, ftc-csv or jsonl.")
    var format: ComplaintFormat

    @Option(
      help: "Name of the list. Use the same name for its updates. Default: the name of the format.")
    var source: String?

    @Option(help: .value("file", "Table that maps the FTC's subjects to categories."))
    var subjects: String?

    @Option(help: .value("file", "Write rejected lines to this file: line number, reason, text."))
    var rejects: String?

    func validate() throws {
      if let source, !App.isName(source) {
        throw ValidationError("--source is not valid. Use 1 to 80 characters on one line without control characters.")
      }
    }

    func run() async throws {
      try await CommandContext.open(database, owns: false, makes: true, logger: .quiet) { context in
        try await withAppFailures {
          let summary = try await context.importComplaints(
            from: file, format: format, source: source ?? format.rawValue, subjects: subjects, rejects: rejects)
          print(summary.text)
        }
      }
    }
  }
}

extension ComplaintFormat: ExpressibleByArgument {}
