// SPDX-License-Identifier: Apache-2.0

/// Text functions shared by several formats.
enum TextCells {
  /// The label with each control character replaced by a space, and whether anything changed.
  ///
  /// Line ends and tabs would break a line-based format, and no format needs the others.
  static func oneLine(_ label: String) -> (text: String, altered: Bool) {
    guard label.unicodeScalars.contains(where: isControl) else { return (label, false) }
    var text = String.UnicodeScalarView()
    for scalar in label.unicodeScalars { text.append(isControl(scalar) ? " " : scalar) }
    return (String(text), true)
  }

  /// The label with a backslash and each control character escaped: ``TSVEncoding`` lists the escapes.
  static func escaped(_ label: String) -> String {
    guard label.unicodeScalars.contains(where: { isControl($0) || $0 == "\\" }) else { return label }
    var text = ""
    for scalar in label.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\t": text += "\\t"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case _ where isControl(scalar):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Whether a character is a control character or ends a line or paragraph (U+2028, U+2029).
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
  }
}

extension [UInt8] {
  mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
