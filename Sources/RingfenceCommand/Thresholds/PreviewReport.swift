// SPDX-License-Identifier: Apache-2.0

import Curation

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
