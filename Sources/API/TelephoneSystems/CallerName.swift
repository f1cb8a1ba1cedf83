// SPDX-License-Identifier: Apache-2.0

/// A label in a form that dial plans and SIP headers can contain.
enum CallerName {
  /// Telephones show fewer characters than this many bytes.
  static let mostBytes = 60

  /// Characters with a meaning in dial plans, in SIP headers, or for `CURLOPT(hashcompat)` of Asterisk.
  private static let removed = Set(#""'`\&={}$<>;"#.unicodeScalars)

  /// A line of at most 60 bytes without these characters; empty if nothing is left.
  static func text(of label: String) -> String {
    var words: [String] = [""]
    for scalar in label.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator:
        if words.last != "" { words.append("") }
      default:
        if !removed.contains(scalar) { words[words.count - 1].unicodeScalars.append(scalar) }
      }
    }
    var text = words.filter { !$0.isEmpty }.joined(separator: " ")
    while text.utf8.count > mostBytes { text.removeLast() }
    return text.last == " " ? String(text.dropLast()) : text
  }
}
