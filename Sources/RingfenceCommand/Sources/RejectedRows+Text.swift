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

  /// The summary, and a line for each example; nil where no row was rejected.
  var report: String? { summary.map { ([$0] + examples(indent: "  ")).joined(separator: "\n") } }

  private func examples(indent: String) -> [String] {
    examples.map { "\(indent)row \($0.row), \($0.reason): \($0.text)" }
  }
}
