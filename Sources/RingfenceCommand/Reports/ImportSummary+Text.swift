// SPDX-License-Identifier: Apache-2.0

import Importing
import Timestamps

extension ImportSummary {
  /// Several lines for a terminal, without a line end.
  var text: String {
    var lines = [
      "\(TextFormat.grouped(rows)) rows in \(TextFormat.duration(seconds)), "
        + "\(TextFormat.grouped(Int(rowsPerSecond))) rows/s",
      "  \(TextFormat.grouped(accepted)) accepted: \(TextFormat.grouped(inserted)) new, "
        + "\(TextFormat.grouped(duplicates)) already stored",
      "  \(TextFormat.grouped(rejectedRows)) rejected\(rejectedRows > 0 ? ":" : "")",
    ]
    for (reason, count) in rejected.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) where count > 0 {
      lines.append("    \(reason.rawValue) \(TextFormat.grouped(count))")
    }
    if let droppedBefore, rejected[.dateBeforeRetention, default: 0] > 0 {
      lines.append("  date_before_retention: the date is before \(Timestamp.format(droppedBefore)). Older reports")
      lines.append("  were deleted, so rows that were counted before cannot be recognized.")
    }
    if repaired > 0 { lines.append("  \(TextFormat.grouped(repaired)) rows with invalid UTF-8, repaired") }
    if unknownSubjectRows > 0 {
      lines.append("  \(TextFormat.grouped(unknownSubjectRows)) rows with an unknown subject:")
      let sorted = unknownSubjects.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      for (subject, count) in sorted.prefix(20) {
        lines.append("    \(TextFormat.printable(subject)) \(TextFormat.grouped(count))")
      }
      if sorted.count > 20 { lines.append("    and \(sorted.count - 20) more") }
    }
    return lines.joined(separator: "\n")
  }
}
