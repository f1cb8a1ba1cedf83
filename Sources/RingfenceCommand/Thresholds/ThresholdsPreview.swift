import ArgumentParser
import Curation
import Foundation
import Publishing
import Storage
import Timestamps

/// What a preview is asked for besides the change.
struct PreviewOptions: ParsableArguments {
  @Option(help: "Weigh the numbers as of this time (RFC 3339) instead of now.")
  var at: String?

  @Option(help: "The most examples of what comes, and of what goes.")
  var examples = 10

  @Option(help: "text, tsv or json.")
  var format = TableFormat.text

  func validate() throws {
    guard (0...1_000).contains(examples) else { throw ValidationError("--examples is 0 to 1000.") }
    guard let at else { return }
    guard let time = Timestamp.parse(at), Decay.heat.scale(at: time).isNormal else {
      throw ValidationError("--at is an RFC 3339 time between 1992 and 2068, such as 2020-12-31T00:00:00Z.")
    }
  }
}

/// `ringfence thresholds preview`
struct ThresholdsPreview: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Say what a change would add to the next publication and take from it; nothing is saved.",
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
    abstract: "Say what a change would add to the next publication and take from it; nothing is saved.",
    discussion: """
      Takes the options of `ringfence sources set`. A weight changes what rows weigh that are imported later: here it \
      shows only when it becomes 0, with which a list lists nothing.
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
  /// Prints what a change would do.
  func preview(_ options: PreviewOptions, _ change: (ThresholdSet) throws -> ThresholdSet) async throws {
    let time = options.at.flatMap(Timestamp.parse) ?? Date()
    let (version, set) = try await stores.thresholds.version(nil)
    let changed = try ThresholdProblem.told { try change(set) }
    let step = StatusLine("Judging the numbers by both")
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
