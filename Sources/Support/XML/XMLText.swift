// SPDX-License-Identifier: Apache-2.0

/// Text in XML 1.0.
package enum XMLText {
  /// Text for an element, or for an attribute in double quotes. Characters that XML 1.0 does not allow are left out. A
  /// carriage return is written as a reference, because parsers replace it otherwise.
  package static func escaped(_ text: some StringProtocol) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "\r": escaped.append(contentsOf: "&#13;".unicodeScalars)
      case "\t", "\n": escaped.append(scalar)
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": continue
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
