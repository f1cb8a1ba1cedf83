// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Curation
import Foundation
public import Importing
import Intake
import PhoneNumbers
import Storage
import Synchronization
import Support

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
      try checkName(source, "--source")
    }

    func run() async throws {
      try await database.open(makes: true) { context in
        let summary = try await context.importComplaints(
          from: file, format: format, source: source ?? format.rawValue, subjects: subjects, rejects: rejects)
        print(summary.text)
      }
    }
  }
}

extension ComplaintFormat: ExpressibleByArgument {}

extension CommandContext {
  /// Imports a file of complaints with a progress bar.
  /// - Parameters:
  ///   - source: the source under which its rows are counted; added if it is new.
  ///   - subjects: path of a table of subjects; nil for the shipped one.
  ///   - rejects: path of a file for rejected lines.
  func importComplaints(
    from path: String, format: ComplaintFormat, source: String, subjects: String? = nil, rejects: String? = nil,
    title: String = "Importing", arrivesWhenReported: Bool = false
  ) async throws -> ImportSummary {
    var options = ImportOptions(
      path: path, format: format, source: source,
      subjects: try SubjectTable(contentsOf: subjects ?? "\(installation.resources)/ftc-subjects.tsv"))
    options.rejectsPath = rejects
    try await options.readRefusals(of: stores)
    guard source != SourceRule.everyListName else {
      throw CommandFailure.failed("\(source) is the name of the rule for all lists. Choose another name with --source.")
    }
    let list = try await stores.apps.source(named: source, at: Date())
    guard try await !stores.sources.ids().contains(list.id) else {
      throw CommandFailure.failed(
        "\(source) is a source that is or was downloaded. Complaints of a file would get its rule and its ceiling. Choose "
          + "another name with --source.")
    }
    let protection = ProtectionCache(store: stores.protection)
    try await protection.refresh()
    let sink = ComplaintSink(
      store: stores.reports, source: list, pseudonymizer: try folder.pseudonymizer(), protection: protection,
      arrivesWhenReported: arrivesWhenReported)
    let summary: ImportSummary
    if !arrivesWhenReported, let bulk = try await importInBulk(options, of: list, to: sink, title: title) {
      summary = bulk
    } else {
      let meter = ProgressMeter(importing: path, title: title, output: progressOutput())
      defer { meter.finish() }
      summary = try await ImportPipeline(options: options).run(
        progress: { meter.update($0) }, into: { try await sink.take($0) })
    }
    try await stores.reports.refreshStatistics()
    return summary
  }

  /// Imports a file without reporters in the order of its numbers. The time left is of the step that is shown.
  /// - Returns: nil where the file must be imported in batches; nothing was read then.
  private func importInBulk(
    _ options: ImportOptions, of list: App, to sink: ComplaintSink, title: String
  ) async throws -> ImportSummary? {
    let bulk = BulkImport(of: list.id, in: stores.reports)
    guard !options.format.mayHaveReporters, try await bulk.isPossible else { return nil }
    let started = ContinuousClock.now
    var summary = ImportSummary()
    let sorter = try ReportSorter(folder: folder.path)
    do {
      let meter = ProgressMeter(importing: options.path, title: "\(title), step 1 of 2", output: progressOutput())
      defer { meter.finish() }
      var options = options
      options.isSerial = true
      summary = try await ImportPipeline(options: options).run(
        progress: { meter.update($0) }, into: { try sink.collect($0, into: sorter) })
    }
    let second = Mutex<ProgressMeter?>(nil)
    defer { second.withLock { $0?.finish() } }
    let duplicates = try await bulk.run(try sorter.finish()) { done, total in
      second.withLock { meter in
        meter =
          meter
          ?? ProgressMeter(
            title: "\(title), step 2 of 2", total: UInt64(total), unit: .items("rows"), output: progressOutput())
        meter?.update(done: UInt64(done))
      }
    }
    summary.inserted -= duplicates
    summary.duplicates += duplicates
    summary.seconds = (ContinuousClock.now - started) / .seconds(1)
    return summary
  }
}

extension ImportSummary {
  /// Several lines for a terminal, without a line end.
  var text: String {
    var lines = [
      "\(TextFormat.grouped(rows, "row")) in \(TextFormat.duration(seconds)), "
        + "\(TextFormat.grouped(Int(rowsPerSecond))) rows/s",
      "  \(TextFormat.grouped(accepted)) accepted: \(TextFormat.grouped(inserted)) new, "
        + "\(TextFormat.grouped(duplicates)) already stored",
      "  \(TextFormat.grouped(rejects.count)) rejected\(rejects.count > 0 ? ":" : "")",
    ]
    lines += rejects.lines(indent: "    ")
    if let unassigned = rejects.unassignedText { lines.append("  \(unassigned)") }
    if let droppedBefore, rowsBeforeRetention > 0 {
      lines.append("  date_before_retention: the date is before \(Timestamp.format(droppedBefore)). Older reports")
      lines.append("  were deleted, so rows that were counted before cannot be recognized.")
    }
    if conflicts > 0 {
      lines.append("  \(TextFormat.grouped(conflicts, "row")) with the report_id of another report: not stored")
    }
    if repaired > 0 { lines.append("  \(TextFormat.grouped(repaired, "row")) with invalid UTF-8, repaired") }
    if unknownSubjectRows > 0 {
      lines.append("  \(TextFormat.grouped(unknownSubjectRows, "row")) with an unknown subject:")
      let sorted = unknownSubjects.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      for (subject, count) in sorted.prefix(20) {
        lines.append("    \(TextFormat.printable(subject)) \(TextFormat.grouped(count))")
      }
      if sorted.count > 20 { lines.append("    and \(sorted.count - 20) more") }
    }
    return lines.joined(separator: "\n")
  }
}
