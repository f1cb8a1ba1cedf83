/// Text functions shared by several formats.
enum TextCells {
  /// The label with each control character replaced by a space, and whether anything changed.
  ///
  /// Line ends and tabs would break a line-based format, and no format needs the others.
  static func oneLine(_ label: String) -> (text: String, altered: Bool) {
    let isControl = { (scalar: Unicode.Scalar) in
      scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }
    guard label.unicodeScalars.contains(where: isControl) else { return (label, false) }
    var text = String.UnicodeScalarView()
    for scalar in label.unicodeScalars { text.append(isControl(scalar) ? " " : scalar) }
    return (String(text), true)
  }

  /// A text as a CSV field, quoted as RFC 4180 requires.
  ///
  /// A text that a spreadsheet would run as a formula gets an apostrophe in front, which marks it as text.
  static func csvField(_ text: String) -> (text: String, altered: Bool) {
    var field = text
    var altered = false
    if let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) {
      field = "'" + text
      altered = true
    }
    guard field.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return (field, altered) }
    // Uses scalars, because a quotation mark with a combining accent is one Character but still ends a field.
    var quoted = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in field.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    quoted.append("\"")
    return (String(quoted), altered)
  }
}

extension [UInt8] {
  mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
