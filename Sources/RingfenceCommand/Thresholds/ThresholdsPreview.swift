// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Publishing
import Storage
import Timestamps

/// The options of a preview, without the change.
struct PreviewOptions: ParsableArguments {
  @Option(help: .value("time", "Evaluate the numbers as of this time (RFC 3339). Default: now."))
  var at: String?

  @Option(help: .value("count", "Maximum examples of added and of removed numbers, 0 to 1000."))
  var examples = 10

  @OptionGroup var output: TableOptions

  func validate() throws {
    try check(examples, "--examples", in: 0...1_000)
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
    try await database.open { context in
      try await context.preview(preview) { try change.applied(to: $0) }
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
    try options.output.print(report.table, text: report.text, json: report)
  }
}

/// A preview as JSON and text.
struct PreviewReport: Encodable {
  struct Change: Encodable {
    let category: String
    let country: String?
    let added: Int
    let taken: Int
    let kept: Int
  }

  struct Example: Encodable {
    let number: String
    let country: String?
    let category: String
    let heat: Double
    let evidence: Double
    let confidence: Double
    let reporters: Int
    let networks: Int
    let days: Int
    let reports: Int64

    init(_ example: ThresholdPreview.Example) {
      number = "+\(example.number)"
      country = example.kind.country
      category = example.kind.category.slug
      (heat, evidence, confidence) = (example.score.heat, example.score.evidence, example.score.confidence)
      (reporters, networks, days) = (example.score.reporters, example.score.networks, example.score.days)
      reports = example.score.parts.reduce(0) { $0 + $1.reports }
    }

    var cells: [String] {
      [
        number, country ?? "–", category, plain(heat), plain(evidence), plain(confidence), "\(reporters)",
        "\(networks)", "\(days)", "\(reports)",
      ]
    }

    static let columns = [
      "number", "country", "category", "heat", "evidence", "confidence", "reporters", "networks", "days", "reports",
    ]
  }

  let against: Int32
  let listedNow: Int
  let listedThen: Int
  let added: Int
  let taken: Int
  /// Numbers that the next review would hold only with the change.
  let held: Int
  /// Numbers that the next review would hold only without the change.
  let released: Int
  let changes: [Change]
  let examplesAdded: [Example]
  let examplesTaken: [Example]

  init(_ preview: ThresholdPreview, version: Int32) {
    let total = preview.total
    against = version
    listedNow = total.kept + total.taken + preview.fixed
    listedThen = total.kept + total.added + preview.fixed
    (held, released) = (preview.newlyHeld, preview.released)
    (added, taken) = (total.added, total.taken)
    changes = preview.changes.map { kind, change in
      Change(
        category: kind.category.slug, country: kind.country, added: change.added, taken: change.taken, kept: change.kept
      )
    }.sorted { left, right in
      (right.added + right.taken, left.category, left.country ?? "")
        < (left.added + left.taken, right.category, right.country ?? "")
    }
    examplesAdded = preview.added.map(Example.init)
    examplesTaken = preview.taken.map(Example.init)
  }

  /// Rows by category and country, largest change first.
  var table: TextTable {
    TextTable(
      ["category", "country", "added", "taken", "kept"],
      changes.map { [$0.category, $0.country ?? "–", "\($0.added)", "\($0.taken)", "\($0.kept)"] })
  }

  var text: String {
    var parts = [
      "Now (version \(against)) \(Self.count(listedNow)) listed, with the change \(Self.count(listedThen)): "
        + "\(added) added, \(taken) removed. Nothing was saved."
    ]
    if held + released > 0 {
      parts.append("Held for review: \(held) more, \(released) no longer.")
    }
    if !changes.isEmpty { parts.append(table.aligned) }
    for (title, examples) in [
      ("Added, highest heat first:", examplesAdded), ("Removed, highest heat first:", examplesTaken),
    ]
    where !examples.isEmpty {
      parts.append("\(title)\n" + TextTable(Example.columns, examples.map(\.cells)).aligned)
    }
    return parts.joined(separator: "\n\n")
  }

  private static func count(_ count: Int) -> String { count == 1 ? "1 number" : "\(count) numbers" }
}
