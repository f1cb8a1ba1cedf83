// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Days and times: every page writes them in this form. Without a `Locale`, which takes longer than the rest of a row.
extension Localizer {
  /// A UTC day, such as `22 November 2026`.
  package func day(_ date: Date) -> String { day(String(date.ISO8601Format().prefix(10))) }

  /// A day, such as `22 November 2026`.
  /// - Parameter day: as ISO 8601 writes it; any other text stays as it is.
  package func day(_ day: String) -> String {
    let parts = day.split(separator: "-")
    guard parts.count == 3, let month = Int(parts[1]), (1...12).contains(month), let date = Int(parts[2]) else {
      return day
    }
    return self("date.day", ["day": "\(date)", "month": self("date.month.\(month)"), "year": String(parts[0])])
  }

  /// A moment, such as `22 November 2026, 01:10 UTC`.
  /// - Parameter time: as RFC 3339 writes it, in UTC.
  package func time(_ time: String) -> String {
    // By bytes: comparing characters takes longer, and pages have a hundred times.
    let bytes = time.utf8
    return self(
      "date.time",
      ["day": day(String(Substring(bytes.prefix(10)))), "time": String(Substring(bytes.dropFirst(11).prefix(5)))])
  }
}
