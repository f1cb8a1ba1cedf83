// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Formats figures in the reader's language, for all pages. It avoids `Locale` and format strings, which take longer
/// than the rest of a table row.
extension Localizer {
  /// An integer with its digits in groups of three.
  package func number<Number: BinaryInteger>(_ value: Number) -> String {
    let digits = String(value.magnitude)
    let sign = value < 0 ? "−" : ""
    guard digits.utf8.count >= language.minGroupedDigits else { return sign + digits }
    var text = sign
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.utf8.count - place).isMultiple(of: 3) { text += language.groupSeparator }
      text.append(digit)
    }
    return text
  }

  /// A figure with 0 to 8 decimal places.
  package func decimal(_ value: Double, places: Int = 1) -> String {
    guard let (isNegative, whole, fraction) = PlainNumber.parts(value, places: places) else { return "\(value)" }
    return (isNegative ? "−" : "") + number(whole) + (fraction.isEmpty ? "" : language.decimalSeparator + fraction)
  }

  /// A figure from a setting, with as many digits as it needs.
  package func plain(_ value: Double) -> String {
    let parts = PlainNumber.plain(value).split(separator: ".")
    guard value >= 0, parts.count <= 2, let whole = Int64(parts[0]) else { return typed(value) }
    return number(whole) + (parts.count == 2 ? language.decimalSeparator + parts[1] : "")
  }

  /// A figure as it is typed into a form in the language.
  package func typed(_ value: Double) -> String {
    PlainNumber.plain(value).replacing(".", with: language.decimalSeparator)
  }

  /// A fraction as a percentage without decimal places.
  package func percent(_ part: Double) -> String { decimal(part * 100, places: 0) + language.percentSign }

  /// A size in decimal units.
  package func bytes(_ count: Int64) -> String {
    let (value, unit) =
      switch count {
      case ..<1_000: (number(count), "bytes")
      case ..<1_000_000: (decimal(Double(count) / 1e3), "kilobytes")
      case ..<1_000_000_000: (decimal(Double(count) / 1e6), "megabytes")
      default: (decimal(Double(count) / 1e9), "gigabytes")
      }
    return self("layout.\(unit)", ["figure": value])
  }
}

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
    return self(
      "date.day",
      ["day": language.dayOfMonth(date), "month": self("date.month.\(month)"), "year": String(parts[0])])
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

/// Formats figures for files and forms: with a decimal point and without digit groups.
package enum PlainNumber {
  private static let powers: [Double] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]

  /// The parts of a figure, rounded half away from zero; nil if it is not finite or too large.
  /// - Parameter places: decimal places, 0 to 8.
  package static func parts(_ value: Double, places: Int) -> (isNegative: Bool, whole: Int64, fraction: String)? {
    let scaled = (value * powers[places]).rounded()
    guard scaled.magnitude < 1e15 else { return nil }
    let (whole, rest) = Int64(scaled.magnitude).quotientAndRemainder(dividingBy: Int64(powers[places]))
    let digits = places == 0 ? "" : String(rest)
    return (scaled < 0, whole, String(repeating: "0", count: places - digits.utf8.count) + digits)
  }

  /// A figure with 0 to 8 decimal places.
  package static func fixed(_ value: Double, places: Int) -> String {
    guard let (isNegative, whole, fraction) = parts(value, places: places) else { return "\(value)" }
    return (isNegative ? "-" : "") + String(whole) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// A figure as it is typed: at most six digits, so that a stored 0.30000000000000004 becomes 0.3.
  package static func plain(_ value: Double) -> String {
    if value == value.rounded(), value.magnitude < 1e15 { return String(Int64(value)) }
    // Without an exponent, which forms cannot read, from 0.00001 to 1,000,000; below 0.01 with eight decimal places.
    guard (0.00001..<1e6).contains(value.magnitude) else { return value == 0 ? "0" : String(format: "%.6g", value) }
    let places =
      value.magnitude < 0.01
      ? 8 : value.magnitude < 0.1 ? 7 : value.magnitude < 1 ? 6 : 6 - String(Int(value.magnitude)).utf8.count
    var text = fixed(value, places: places)[...]
    if text.utf8.contains(UInt8(ascii: ".")) {
      while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
      if text.utf8.last == UInt8(ascii: ".") { text.removeLast() }
    }
    return String(text)
  }
}
