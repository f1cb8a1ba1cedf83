import ArgumentParser
import AsyncSupport
import Foundation
import Importing
import PhoneNumbers
import Storage

extension ImportCommand {
  /// `ringfence import directory FILE --source NAME --region CC`
  struct Directory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Load a file of names of numbers. It takes the place of all that its source had.",
      discussion: """
        CSV or TSV with a header, plain or gzip. Columns are found by their usual names (phone, telephone, name, \
        category…); name others with the options, by their header or by their place from 1. A cell may have several \
        numbers: a; b. Where a file gives a number several names, the name of most rows stays, of equals the first; where \
        sources disagree, the one with the lower priority wins.
        """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @Option(help: "What the file's entries are kept under, such as yellow-pages; 1 to 80 characters.")
    var source: String

    @Option(help: "Where numbers without a plus are dialled: two letters, such as FR.")
    var region: String?

    @Option(
      help: "Which source wins: the one with the lower priority. The source keeps what it has; 100 when it is new.")
    var priority: Int32?

    @Option(help: "A column with numbers; may be given several times.")
    var numberColumn: [String] = []

    @Option(help: "The column with names.")
    var nameColumn: String?

    @Option(help: "The column with the kind of business.")
    var categoryColumn: String?

    @Option(help: "The column with the two letters of where a row's numbers are dialled.")
    var regionColumn: String?

    @Flag(help: "The first line is a row like the others; columns are given by their places.")
    var noHeader = false

    @Option(help: "Write rejected lines to this file: line, reason, text.")
    var rejects: String?

    func validate() throws {
      guard (1...80).contains(source.count) else { throw ValidationError("--source has 1 to 80 characters.") }
      if let region, PhoneRegion(region) == nil {
        throw ValidationError("--region is a country's two letters, such as FR.")
      }
      if noHeader, numberColumn.isEmpty || nameColumn == nil {
        throw ValidationError("Without a header, give --number-column and --name-column by their places, from 1.")
      }
    }

    func run() async throws {
      try await CommandContext.open(database, owns: false, makes: true, logger: .quiet) { context in
        var options = DirectoryOptions(path: file, region: region, temporaryFolder: context.folder.path)
        options.columns.numbers = numberColumn
        options.columns.name = nameColumn
        options.columns.category = categoryColumn
        options.columns.region = regionColumn
        options.hasHeader = !noHeader
        options.rejectsPath = rejects
        print(try await context.importDirectory(options, source: source, priority: priority).text)
      }
    }
  }
}

extension CommandContext {

  /// Imports a file of names, with a progress bar for reading and one for storing.
  func importDirectory(_ options: DirectoryOptions, source: String, priority: Int32?) async throws -> DirectorySummary {
    let reading = ProgressMeter(importing: options.path, output: StandardErrorOutput())
    let storing = LazyValue<ProgressMeter>()
    defer { storing.value?.finish() }
    let store = stores.directory
    return try await DirectoryImport(options: options).run(
      progress: { progress in
        switch progress {
        case .reading(let bytes, _, let rows): reading.update(bytesRead: bytes, rows: rows)
        case .storing(let done, let total):
          reading.finish()
          storing.makeIfNeeded { ProgressMeter(title: "Storing", total: UInt64(total), unit: .items("names")) }
            .update(done: UInt64(done))
        }
      },
      into: { next in
        try await store.replace(source: source, priority: priority, at: Date(), with: next)
      })
  }
}
