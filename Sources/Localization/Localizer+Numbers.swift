// SPDX-License-Identifier: Apache-2.0

/// Formats figures in the reader's language, for all pages. It avoids `Locale` and format strings, which take longer
/// than the rest of a table row.
extension Localizer {
  /// An integer with its digits in groups of three.
  package func number<Number: BinaryInteger>(_ value: Number) -> String {
    let digits = String(value.magnitude)
    let sign = value < 0 ? "−" : ""
    guard digits.utf8.count > 3 else { return sign + digits }
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
