// SPDX-License-Identifier: Apache-2.0

import Importing

extension DirectorySummary {
  /// Several lines for a terminal, without a line end.
  var text: String {
    let seconds = readingSeconds + storingSeconds
    var lines = [
      "\(TextFormat.grouped(rows)) rows in \(TextFormat.duration(seconds)): "
        + "\(TextFormat.duration(readingSeconds)) reading, \(TextFormat.duration(storingSeconds)) storing",
      "  \(TextFormat.grouped(entries)) entries stored; replaced: \(TextFormat.grouped(replaced))",
      "  \(TextFormat.grouped(rejectedRows)) rows rejected\(rejectedRows > 0 ? ":" : "")",
    ]
    for (reason, count) in rejected.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) where count > 0 {
      lines.append("    \(reason.rawValue) \(TextFormat.grouped(count))")
    }
    if badNumbers > 0 { lines.append("  \(TextFormat.grouped(badNumbers)) more invalid numbers") }
    if conflicts > 0 {
      lines.append(
        "  \(TextFormat.grouped(conflicts)) numbers had several names; "
          + "\(TextFormat.grouped(outvotedRows)) rows not used:")
      for example in examples {
        let others = example.names > 2 ? " and \(example.names - 2) more" : ""
        lines.append(
          "    +\(example.number) is “\(TextFormat.printable(example.kept))”, "
            + "not “\(TextFormat.printable(example.other))”\(others)")
      }
    }
    if overruled > 0 {
      lines.append(
        "  \(TextFormat.grouped(overruled)) numbers have a name from a source with a lower priority, which is used")
    }
    return lines.joined(separator: "\n")
  }
}
