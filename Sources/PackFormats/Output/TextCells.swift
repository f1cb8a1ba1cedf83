// SPDX-License-Identifier: Apache-2.0

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
}

extension [UInt8] {
  mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
