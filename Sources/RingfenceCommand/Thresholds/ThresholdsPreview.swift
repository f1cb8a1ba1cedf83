// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Publishing
import Storage
import Support

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
  let against: Int32
  let listedNow: Int
  let listedThen: Int
  let added: Int
  let taken: Int
  /// Listed numbers that are blocked only with the change.
  let raised: Int
  /// Listed numbers that are blocked only without the change.
  let lowered: Int
  /// Numbers that the next review would hold only with the change.
  let held: Int
  /// Numbers that the next review would hold only without the change.
  let released: Int
  let changes: [TableRow]
  let examplesAdded: [TableRow]
  let examplesTaken: [TableRow]

  init(_ preview: ThresholdPreview, version: Int32) {
    let total = preview.total
    against = version
    listedNow = total.kept + total.taken + preview.fixed
    listedThen = total.kept + total.added + preview.fixed
    (held, released) = (preview.newlyHeld, preview.released)
    (added, taken) = (total.added, total.taken)
    (raised, lowered) = (total.raised, total.lowered)
    changes = preview.changes.sorted { left, right in
      (right.value.changed, left.key.category.slug, left.key.country ?? "")
        < (left.value.changed, right.key.category.slug, right.key.country ?? "")
    }.map { kind, change in
      [
        "category": .text(kind.category.slug), "country": .country(kind.country, else: "–"),
        "added": .count(change.added), "taken": .count(change.taken), "kept": .count(change.kept),
        "raised": .count(change.raised), "lowered": .count(change.lowered),
      ]
    }
    examplesAdded = preview.added.map(\.row)
    examplesTaken = preview.taken.map(\.row)
  }

  /// Rows by category and country, largest change first.
  var table: TextTable {
    changes.isEmpty
      ? TextTable(["category", "country", "added", "taken", "kept", "raised", "lowered"], []) : TextTable(changes)
  }

  var text: String {
    let (now, then) = (TextFormat.count(listedNow, "number"), TextFormat.count(listedThen, "number"))
    var parts = [
      "Now (version \(against)) \(now) listed, with the change \(then): "
        + "\(added) added, \(taken) removed. Nothing was saved."
    ]
    if raised + lowered > 0 {
      parts.append("Of those listed either way, \(raised) would be blocked, and \(lowered) only identified.")
    }
    if held + released > 0 {
      parts.append("Held for review: \(held) more, \(released) no longer.")
    }
    if !changes.isEmpty { parts.append(table.aligned) }
    for (title, examples) in [
      ("Added, highest heat first:", examplesAdded), ("Removed, highest heat first:", examplesTaken),
    ]
    where !examples.isEmpty {
      parts.append("\(title)\n" + TextTable(examples).aligned)
    }
    return parts.joined(separator: "\n\n")
  }
}

extension ThresholdPreview.Example {
  fileprivate var row: TableRow {
    [
      "number": .text("+\(number)"), "country": .country(kind.country, else: "–"),
      "category": .text(kind.category.slug),
      "heat": .figure(score.heat), "evidence": .figure(score.evidence), "confidence": .figure(score.confidence),
      "reporters": .count(score.reporters), "networks": .count(score.networks), "days": .count(score.days),
      "reports": .count(score.parts.reduce(0) { $0 + $1.reports }),
    ]
  }
}
