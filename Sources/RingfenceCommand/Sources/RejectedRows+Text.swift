// SPDX-License-Identifier: Apache-2.0

import Curation

extension RejectedRows {
  /// A line for each reason, and for each example; none where no row was rejected.
  func lines(indent: String) -> [String] {
    sortedReasons.map { "\(indent)\($0.code) \(TextFormat.grouped($0.count))" } + examples(indent: indent)
  }

  /// The counts in a line: 2 of 9 rows rejected: not_a_number 2; nil where no row was rejected.
  var summary: String? {
    guard count > 0 else { return nil }
    let reasons = sortedReasons.map { "\($0.code) \(TextFormat.grouped($0.count))" }.joined(separator: ", ")
    return "\(TextFormat.grouped(count)) of \(TextFormat.grouped(rows, "row")) rejected: \(reasons)"
  }

  /// How many rows are about numbers that the plan does not have; nil for none.
  var unassignedText: String? {
    guard unassigned > 0 else { return nil }
    let rows = TextFormat.grouped(unassigned, "row")
    return "\(rows) with a number that the numbering plan does not have: stored, not shown"
  }

  /// The summary, and a line for each example; nil where no row was rejected and none has an unknown number.
  var report: String? {
    let lines = (summary.map { [$0] + examples(indent: "  ") } ?? []) + (unassignedText.map { [$0] } ?? [])
    return lines.isEmpty ? nil : lines.joined(separator: "\n")
  }

  private func examples(indent: String) -> [String] {
    examples.map { "\(indent)row \($0.row), \($0.reason): \($0.text)" }
  }
}
