// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CallerPack
import Foundation
import PackCommands
import PackDatabases
import PackFormats

/// `ringfence pack dump`: writes a pack in any format.
struct DumpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump", abstract: PackDumpCommand.configuration.abstract, discussion: PackDumpOptions.discussion)

  @OptionGroup var options: PackDumpOptions
  @Option(help: "Format to write.") var format: ListFormat

  func validate() throws {
    guard format != .sqlite || options.out != nil else {
      throw ValidationError("A SQLite database cannot be written to standard output. Pass a file name with --out.")
    }
  }

  func run() async throws { try PackExitCode.report { try options.dump { try format.writer(to: $0, options: $1) } } }
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

  private static let usual = LiveCallerIDOptions.standard

  @Argument(help: "Pack to read.") var file: String
  @Option(help: .value("folder", "Folder to write.")) var out: String
  @Option(help: .value("id", "Bundle ID of the app's lookup extension.")) var bundleID: String
  @Option(help: .value("database", "Write only this database.")) var only: LiveCallerIDOptions.Database?
  @Option(help: "Category of the identities.") var category: LiveCallerIDOptions.Category = Self.usual.category
  @Option(help: .value("minutes", "Minutes that a phone may cache an identity; 0: the phone decides."))
  var cacheExpiryMinutes = Self.usual.cacheExpiryMinutes
  @Flag(help: "Add the entry of Apple's service test: +14085551212, Johnny Appleseed.") var appleTestRow = false
  @Option(help: .value("count", "Shards of each database; do not change it later.")) var shards = Self.usual.shardCount
  @Option(help: .value("count", "Buckets of each shard; do not change it later. Default: the tool decides."))
  var buckets: Int?
  @Option(help: .value("count", "Test lookups in each shard.")) var trials = Self.usual.trialsPerShard

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
