// SPDX-License-Identifier: Apache-2.0

/// Formats numbers and foreign text for a terminal, the same in every locale.
package enum TextFormat {
  /// 1234567 → 1,234,567.
  package static func grouped(_ value: Int) -> String {
    var digits = String(value.magnitude)
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.append(digits.suffix(3))
      digits = String(digits.dropLast(3))
    }
    return (value < 0 ? "-" : "") + ([digits] + groups.reversed().map(String.init)).joined(separator: ",")
  }

  /// One decimal digit: 12.34 → 12.3.
  package static func oneDigit(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "–" }
    let tenths = Int((abs(value) * 10).rounded())
    return "\(value < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
  }

  /// Seconds below a minute with one decimal digit, then minutes and hours: 8.2 s, 3 min 5 s, 2 h 10 min.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "–" }
    if seconds < 59.95 { return "\(oneDigit(seconds)) s" }
    let whole = Int(seconds.rounded())
    if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
  }

  /// Bytes in decimal units: 11.6 MB.
  package static func bytes(_ count: Double) -> String {
    for (unit, size) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where count >= size {
      return "\(oneDigit(count / size)) \(unit)"
    }
    return "\(Int(count)) B"
  }

  /// The text with U+FFFD for each control or format character, which could control a terminal.
  static func printable(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append("\u{FFFD}")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}
