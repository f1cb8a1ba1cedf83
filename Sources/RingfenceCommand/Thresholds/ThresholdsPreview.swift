// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Publishing
import Storage
import Timestamps

/// The options of a preview besides the change.
struct PreviewOptions: ParsableArguments {
  @Option(help: .value("time", "Evaluate the numbers as of this time (RFC 3339). Default: now."))
  var at: String?

  @Option(help: .value("count", "Maximum examples of added and of removed numbers, 0 to 1000."))
  var examples = 10

  @Option(help: "Output format: text, tsv or json.")
  var format = TableFormat.text

  func validate() throws {
    guard (0...1_000).contains(examples) else { throw ValidationError("--examples is \(examples). Use 0 to 1000.") }
    guard let at else { return }
    guard let time = Timestamp.parse(at), Decay.heat.scale(at: time).isNormal else {
      throw ValidationError(
        "--at \"\(at)\" is not an RFC 3339 time from 1992 to 2068. Write it as 2020-12-31T00:00:00Z.")
    }
  }
}

/// `ringfence thresholds preview`
struct ThresholdsPreview: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Show which numbers a change would add and remove; saves nothing.",
    discussion: "Takes the options of `ringfence thresholds set`.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var change: ThresholdChange
  @OptionGroup var preview: PreviewOptions

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await context.preview(preview) { try change.applied(to: $0) }
    }
  }
}

/// `ringfence sources preview`
struct SourcesPreview: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Show which numbers a change would add and remove; saves nothing.",
    discussion: """
      Takes the options of `ringfence sources set`. A new weight applies to entries that are imported later. The preview \
      shows only the weight 0, with which the list lists no numbers.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var change: SourceChange
  @OptionGroup var preview: PreviewOptions

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      let lists = try await context.stores.thresholds.lists()
      try await context.preview(preview) { try change.applied(to: $0, lists: lists) }
    }
  }
}

extension CommandContext {
  /// Prints the effect of a change.
  func preview(_ options: PreviewOptions, _ change: (ThresholdSet) throws -> ThresholdSet) async throws {
    let time = options.at.flatMap(Timestamp.parse) ?? Date()
    let (version, set) = try await stores.thresholds.version(nil)
    let changed = try ThresholdProblem.told { try change(set) }
    let step = StatusLine("Evaluating numbers with both sets of thresholds")
    let preview = try await stores.publications.withSnapshot { connection in
      try await Selection().preview(
        changed, against: set, at: time, examples: options.examples, holding: BrigadeReview(store: stores.holds),
        on: connection)
    }
    step.finish()
    let report = PreviewReport(preview, version: version.version)
    switch options.format {
    case .text: print(report.text)
    case .tsv: print(report.table.tsv)
    case .json: print(try HouseJSON.text(report))
    }
  }
}
