// SPDX-License-Identifier: Apache-2.0

/// Text of a stranger in an error.
package enum VisibleText {
  /// Visible ASCII among the first 16 characters. Others would be shown otherwise than they were sent.
  package static func beginning(of text: some StringProtocol) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(16).filter { (0x21...0x7E) ~= $0.value }))
  }

  /// Names a value that is none of the allowed ones, and these.
  package static func refusal(of value: some StringProtocol, allowing names: some Sequence<String>) -> String {
    "\"\(beginning(of: value))\" is not allowed. \(choice(of: names))"
  }

  package static func choice(of names: some Sequence<String>) -> String {
    "Use one of: \(names.joined(separator: ", "))."
  }
}
