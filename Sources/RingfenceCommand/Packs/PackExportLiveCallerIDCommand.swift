public import ArgumentParser
internal import CallerPack
internal import Foundation
internal import PackFormats

/// `ringfence pack export-live-caller-id`: the dataset of a Live Caller ID Lookup service.
public struct PackExportLiveCallerIDCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "export-live-caller-id",
    abstract: "Write the dataset that Apple's Live Caller ID Lookup service is built from.",
    discussion: """
      The folder gets block.binpb and identity.binpb, a configuration for PIRProcessDatabase for each (run it in that \
      folder), and expected.tsv with answers to check a running service against. An empty database is refused, for \
      the tool would write nothing and report success.
      """)

  @Argument(help: "The pack.") var file: String
  @Option(help: "The folder to write into.") var out: String
  @Option(help: "The bundle id of the app's lookup extension.") var bundleID: String
  @Option(help: "Write only this database.") var only: LiveCallerIDOptions.Database?
  @Option(help: "What identities are said to be.") var category: LiveCallerIDOptions.Category = .unspecified
  @Option(help: "Minutes a phone may keep an identity; 0 leaves it to the phone.") var cacheExpiryMinutes: UInt32 = 0
  @Flag(help: "Add +14085551212, Johnny Appleseed, which Apple's check of a service looks up.") var appleTestRow = false
  @Option(help: "Shards of each database; keep it fixed.") var shards = 1
  @Option(help: "Buckets of each shard; keep it fixed. The tool chooses without it.") var buckets: Int?
  @Option(help: "Trial lookups in each shard.") var trials = 1

  /// A command to be parsed.
  public init() {}

  /// Writes the dataset.
  ///
  /// - Throws: `ExitCode`.
  public func run() async throws {
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
      let writer = try LiveCallerIDWriter(folder: URL(fileURLWithPath: out), options: options)
      let summary = try PackExport.copy(reader, into: writer)
      PackConsole.current.output("\(out): \(summary.written) entries\n")
    }
  }
}
