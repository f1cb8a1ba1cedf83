// SPDX-License-Identifier: Apache-2.0

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
      abstract: "Import a business directory. Replaces all entries of the source.",
      discussion: """
        Reads CSV or TSV with a header, plain or gzip. Common column names such as phone, name and category are \
        recognized. Select other columns by header or by position (from 1). A cell can contain several numbers: a; b. If \
        a file has several names for a number, the most frequent name is used, or else the first. Across sources, the \
        lower priority wins.
        """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "File to import, or - for standard input.")
    var file: String

    @Option(help: "Name of the source, such as yellow-pages; 1 to 80 characters.")
    var source: String

    @Option(help: "Country of numbers without a plus: two letters, such as FR.")
    var region: String?

    @Option(
      help: "Priority of the source; lower wins. Default: the current priority, or 100 for a new source.")
    var priority: Int32?

    @Option(help: .value("column", "Column with numbers; can be repeated."))
    var numberColumn: [String] = []

    @Option(help: .value("column", "Column with names."))
    var nameColumn: String?

    @Option(help: .value("column", "Column with the kind of business."))
    var categoryColumn: String?

    @Option(help: .value("column", "Column with the country of the row's numbers: two letters."))
    var regionColumn: String?

    @Flag(help: "The file has no header; select columns by position.")
    var noHeader = false

    @Option(help: .value("file", "Write rejected lines to this file: line number, reason, text."))
    var rejects: String?

    func validate() throws {
      guard (1...80).contains(source.count) else {
        throw ValidationError("--source has \(source.count) characters. Use 1 to 80.")
      }
      if let region, PhoneRegion(region) == nil {
        throw ValidationError("--region \(region) is not a country with phone numbers. Use two letters, such as FR.")
      }
      if noHeader, numberColumn.isEmpty || nameColumn == nil {
        throw ValidationError("--no-header needs --number-column and --name-column. Pass their positions, from 1.")
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
    let reading = ProgressMeter(importing: options.path, output: progressOutput())
    let storing = LazyValue<ProgressMeter>()
    defer { storing.value?.finish() }
    let store = stores.directory
    return try await DirectoryImport(options: options).run(
      progress: { progress in
        switch progress {
        case .reading(let bytes, _, let rows): reading.update(bytesRead: bytes, rows: rows)
        case .storing(let done, let total):
          reading.finish()
          storing.makeIfNeeded {
            ProgressMeter(title: "Storing", total: UInt64(total), unit: .items("names"), output: progressOutput())
          }.update(done: UInt64(done))
        }
      },
      into: { next in
        try await store.replace(source: source, priority: priority, at: Date(), with: next)
      })
  }
}
