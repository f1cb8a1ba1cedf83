import Importing

extension DirectorySummary {
  /// Several lines for a terminal, without a line end.
  var text: String {
    let seconds = readingSeconds + storingSeconds
    var lines = [
      "\(TextFormat.grouped(rows)) rows in \(TextFormat.duration(seconds)): "
        + "\(TextFormat.duration(readingSeconds)) reading, \(TextFormat.duration(storingSeconds)) storing",
      "  \(TextFormat.grouped(entries)) numbers named; before: \(TextFormat.grouped(replaced))",
      "  \(TextFormat.grouped(rejectedRows)) rows rejected\(rejectedRows > 0 ? ":" : "")",
    ]
    for (reason, count) in rejected.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) where count > 0 {
      lines.append("    \(reason.rawValue) \(TextFormat.grouped(count))")
    }
    if badNumbers > 0 { lines.append("  \(TextFormat.grouped(badNumbers)) further numbers that cannot be read") }
    if conflicts > 0 {
      lines.append(
        "  \(TextFormat.grouped(conflicts)) numbers had several names; "
          + "\(TextFormat.grouped(outvotedRows)) rows outvoted:")
      for example in examples {
        let others = example.names > 2 ? " and \(example.names - 2) more" : ""
        lines.append(
          "    +\(example.number) is “\(TextFormat.printable(example.kept))”, "
            + "not “\(TextFormat.printable(example.other))”\(others)")
      }
    }
    if overruled > 0 {
      lines.append(
        "  \(TextFormat.grouped(overruled)) numbers are named by a source with precedence too; its name counts")
    }
    return lines.joined(separator: "\n")
  }
}
