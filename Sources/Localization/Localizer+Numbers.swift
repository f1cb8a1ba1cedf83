/// Figures as people read them in their language: every page writes them by these. Without a `Locale` or a format's string,
/// which take longer than all the rest of a row.
extension Localizer {
  /// A whole number with its digits in groups of three.
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

  /// With so many decimal places, 0 to 8.
  package func decimal(_ value: Double, places: Int = 1) -> String {
    guard let (isNegative, whole, fraction) = PlainNumber.parts(value, places: places) else { return "\(value)" }
    return (isNegative ? "−" : "") + number(whole) + (fraction.isEmpty ? "" : language.decimalSeparator + fraction)
  }

  /// A figure that is set by people, with the digits it needs.
  package func plain(_ value: Double) -> String {
    let parts = PlainNumber.plain(value).split(separator: ".")
    guard value >= 0, parts.count <= 2, let whole = Int64(parts[0]) else { return typed(value) }
    return number(whole) + (parts.count == 2 ? language.decimalSeparator + parts[1] : "")
  }

  /// A figure as a form has it: as it is typed in the language.
  package func typed(_ value: Double) -> String {
    PlainNumber.plain(value).replacing(".", with: language.decimalSeparator)
  }

  /// A part of one in hundredths, without decimal places.
  package func percent(_ part: Double) -> String { decimal(part * 100, places: 0) + language.percentSign }

  /// A length in decimal units.
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
