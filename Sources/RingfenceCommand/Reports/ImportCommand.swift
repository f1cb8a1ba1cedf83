public import ArgumentParser
import Foundation
public import Importing
import PhoneNumbers
import Storage

/// `ringfence import`
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Load lists that others keep.", subcommands: [Complaints.self, Directory.self])

  /// `ringfence import complaints FILE --format FORMAT`
  struct Complaints: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Load a file of complaints. Loading the same file twice adds nothing.",
      discussion: """
        Formats: ftc-tsv (date, number, area code), ftc-csv (the FTC's daily Do Not Call files), jsonl (one object a \
        line with the keys of POST /v1/reports). A gzip file is read as it is.

        The FTC's subjects become categories by the table Resources/ftc-subjects.tsv; name another with --subjects.
        """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @Option(help: "ftc-tsv, ftc-csv or jsonl.")
    var format: ComplaintFormat

    @Option(
      help: "What the list is counted under; the format's name unless given. Keep it the same for a list's updates.")
    var source: String?

    @Option(help: "A table of the FTC's subjects and our categories.")
    var subjects: String?

    @Option(help: "Write rejected lines to this file: line, reason, text.")
    var rejects: String?

    func validate() throws {
      if let source, !App.isName(source) {
        throw ValidationError("--source has 1 to 80 characters, on one line and without control characters.")
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
