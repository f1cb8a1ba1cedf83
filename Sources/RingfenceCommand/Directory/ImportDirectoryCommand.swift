// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ServerSupport
import Curation
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
      try checkLength(source, "--source", in: 1...TextLimit.author)
      if let region, PhoneRegion(region) == nil {
        throw ValidationError("--region \(region) is not a country with phone numbers. Use two letters, such as FR.")
      }
      if noHeader, numberColumn.isEmpty || nameColumn == nil {
        throw ValidationError("--no-header needs --number-column and --name-column. Pass their positions, from 1.")
      }
    }

    func run() async throws {
      try await database.open(makes: true) { context in
        var options = DirectoryOptions(path: file, region: region, temporaryFolder: context.folder.path)
        options.columns.numbers = numberColumn
        options.columns.name = nameColumn
        options.columns.category = categoryColumn
        options.columns.region = regionColumn
        options.hasHeader = !noHeader
        options.rejectsPath = rejects
        print(try await context.importDirectory(options, source: source, priority: priority).text)
        let start = ContinuousClock.now
        // A running server may have begun.
        while try await !context.stores.indexDirectoryWords() { try await Task.sleep(for: .seconds(1)) }
        print("  Made the index of words in \(TextFormat.duration((.now - start) / .seconds(1)))")
      }
    }
  }
}

extension CommandContext {

  /// Shows a progress bar for reading and one for storing.
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

extension DirectorySummary {
  /// Several lines for a terminal, without a line end.
  var text: String {
    let seconds = readingSeconds + storingSeconds
    var lines = [
      "\(TextFormat.grouped(rows, "row")) in \(TextFormat.duration(seconds)): "
        + "\(TextFormat.duration(readingSeconds)) reading, \(TextFormat.duration(storingSeconds)) storing",
      "  \(TextFormat.grouped(entries, "entry", "entries")) stored; replaced: \(TextFormat.grouped(replaced))",
      "  \(TextFormat.grouped(rejects.count, "row")) rejected\(rejects.count > 0 ? ":" : "")",
    ]
    lines += rejects.lines(indent: "    ")
    if badNumbers > 0 { lines.append("  \(TextFormat.grouped(badNumbers, "more invalid number"))") }
    if conflicts > 0 {
      lines.append(
        "  \(TextFormat.grouped(conflicts, "number")) had several names; "
          + "\(TextFormat.grouped(outvotedRows, "row")) not used:")
      for example in examples {
        let others = example.names > 2 ? " and \(example.names - 2) more" : ""
        lines.append(
          "    +\(example.number) is “\(TextFormat.printable(example.kept))”, "
            + "not “\(TextFormat.printable(example.other))”\(others)")
      }
    }
    if overruled > 0 {
      lines.append(
        "  \(TextFormat.grouped(overruled, "number has", "numbers have")) a name from a source with a lower priority, "
          + "which is used")
    }
    return lines.joined(separator: "\n")
  }
}

extension SimulateCommand {
  /// `ringfence simulate directory --rows N`
  struct Directory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Generate a business directory as TSV, for: ringfence import directory --region US.")

    @Option(help: "Seed of the random numbers; the same seed gives the same data.")
    var seed: UInt64 = 1

    @Option(help: .value("count", "Number of rows, 1 to 100000000."))
    var rows = 20_000

    @Option(help: .value("file", "File with chain names: a JSON object of \"kind|name\": branches."))
    var chains: String?

    @Option(help: .value("file", "File to write, or - for standard output."))
    var out = "-"

    func validate() throws {
      try check(rows, "--rows", in: 1...DirectorySimulator.maximumRows)
    }

    func run() async throws {
      let simulator = DirectorySimulator(
        seed: seed, rows: rows, chains: try chains.map { try DirectorySimulator.Chain.read(contentsOf: $0) } ?? [],
        regions: try RegionFile.read(contentsOf: "\(try Installation.find(Settings()).resources)/regions-us.tsv"))
      try simulator.writeLines(to: out)
    }
  }
}
