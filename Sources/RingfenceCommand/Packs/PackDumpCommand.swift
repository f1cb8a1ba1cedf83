// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CallerPack
import Foundation
import PackFormats
import PhoneNumbers

/// `ringfence pack dump`: writes a pack in another format.
struct PackDumpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Write a pack in another format.",
    discussion: """
      Formats of FRITZ!Box, Asterisk and FreePBX are block lists. They leave out entries that only identify a caller, \
      unless --include-identified is set. The pack is verified first. The file is written completely or not at all.
      """)

  @Argument(help: "Pack to read.") var file: String
  @Option(help: "Format to write.") var format: ListFormat
  @Option(help: .value("file", "File to write. Default: standard output.")) var out: String?
  @Option(help: .value("prefix", "Prefix of numbers for Asterisk and FreePBX, as the trunk delivers them."))
  var numberPrefix: ExportOptions.NumberPrefix = .none
  @Flag(help: "Include entries that only identify a caller in a block list.") var includeIdentified = false
  @Option(help: .value("name", "Name of the FRITZ!Box phonebook.")) var phonebookName = ExportOptions().phonebookName
  @Option(help: .value("numbers", "Maximum numbers of a FRITZ!Box phonebook, 1 to 100000."))
  var phonebookLimit = ExportOptions().phonebookLimit
  @Option(help: .value("action", "Action if the pack exceeds this limit."))
  var overLimit: ExportOptions.OverLimit = .fail

  func validate() throws {
    guard format != .sqlite || out != nil else {
      throw ValidationError("A SQLite database cannot be written to standard output. Pass a file name with --out.")
    }
    try check(phonebookLimit, "--phonebook-limit", in: 1...100_000)
  }

  func run() async throws {
    try PackExitCode.report {
      var options = ExportOptions()
      options.numberPrefix = numberPrefix
      options.includesIdentified = includeIdentified
      options.phonebookName = phonebookName
      options.phonebookLimit = phonebookLimit
      options.overLimit = overLimit
      options.hasOneLength = { NumberingPlan.lengths(of: $0) == [$1] }
      let reader = try PackReader.open(path: file)
      try reader.verify()
      let output: ExportOutput = out.map { .file(URL(fileURLWithPath: $0)) } ?? .standardOutput
      let summary = try PackExport.copy(reader, into: format.writer(to: output, options: options))
      if let out { PackConsole.current.output("\(out): \(TextFormat.count(summary.written, "entry", "entries"))\n") }
    }
  }
}

/// `ringfence pack export-live-caller-id`: writes the dataset of a Live Caller ID Lookup service.
struct PackExportLiveCallerIDCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export-live-caller-id",
    abstract: "Write the dataset for Apple's Live Caller ID Lookup service.",
    discussion: """
      Writes block.binpb and identity.binpb, a configuration of PIRProcessDatabase for each, and expected.tsv with \
      answers to test a service. Run PIRProcessDatabase in this folder. An empty database is refused, because the tool \
      would write nothing and report success.
      """)

  @Argument(help: "Pack to read.") var file: String
  @Option(help: .value("folder", "Folder to write.")) var out: String
  @Option(help: .value("id", "Bundle ID of the app's lookup extension.")) var bundleID: String
  @Option(help: .value("database", "Write only this database.")) var only: LiveCallerIDOptions.Database?
  @Option(help: "Category of the identities.") var category: LiveCallerIDOptions.Category = .unspecified
  @Option(help: .value("minutes", "Minutes that a phone may cache an identity; 0: the phone decides."))
  var cacheExpiryMinutes: UInt32 = 0
  @Flag(help: "Add the entry of Apple's service test: +14085551212, Johnny Appleseed.") var appleTestRow = false
  @Option(help: .value("count", "Shards of each database; do not change it later.")) var shards = 1
  @Option(help: .value("count", "Buckets of each shard; do not change it later. Default: the tool decides."))
  var buckets: Int?
  @Option(help: .value("count", "Test lookups in each shard.")) var trials = 1

  func run() async throws {
    try PackExitCode.report {
      var options = LiveCallerIDOptions(extensionBundleID: bundleID)
      if let only { options.databases = [only] }
      options.category = category
      options.cacheExpiryMinutes = cacheExpiryMinutes
      options.includesAppleTestRow = appleTestRow
      options.shardCount = shards
      options.bucketCount = buckets
      options.trialsPerShard = trials
      let reader = try PackReader.open(path: file)
      try reader.verify()
      let writer = try LiveCallerIDWriter(folder: URL(fileURLWithPath: out), options: options)
      let summary = try PackExport.copy(reader, into: writer)
      PackConsole.current.output("\(out): \(TextFormat.count(summary.written, "entry", "entries"))\n")
    }
  }
}

/// Copies a pack's entries into a writer of another format.
enum PackExport {
  static func copy(_ reader: PackReader, into writer: any EntryWriter) throws -> ExportSummary {
    let console = PackConsole.current
    let total = UInt64(reader.header.entryCount)
    var (done, said): (UInt64, UInt64) = (0, 0)
    try reader.forEachRange { numbers, roles, label in
      try writer.append(
        ListEntry(
          number: numbers.lowerBound, last: numbers.upperBound,
          label: label.isEmpty ? nil : String(decoding: label, as: UTF8.self), blocks: roles.contains(.blocks)))
      done += UInt64(numbers.count)
      guard done >= said + 10_000 else { return }
      said = done
      console.progress(done, total, .items("numbers"))
    }
    let summary = try writer.finish()
    console.progress(done, total, .items("numbers"))
    remark(summary)
    return summary
  }

  /// Prints notes about entries that the format could not represent.
  private static func remark(_ summary: ExportSummary) {
    let remarks = PackConsole.current.remarks
    func remark(_ count: UInt64, _ one: String, _ other: String) {
      if count > 0 { remarks("note: \(TextFormat.count(count, one, other))\n") }
    }
    remark(
      summary.altered, "label was changed to fit the format", "labels were changed to fit the format")
    remark(summary.overLimit, "entry is beyond the format's limit", "entries are beyond the format's limit")
    remark(summary.unsuitable, "number is too short for the format", "numbers are too short for the format")
    remark(summary.notBlocking, "entry does not block and was left out", "entries do not block and were left out")
  }
}
