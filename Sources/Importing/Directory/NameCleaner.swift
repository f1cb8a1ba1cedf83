import Foundation

/// Cleans what directories call numbers. The script stays as it is; nothing is transliterated or re-cased.
enum NameCleaner {
  /// The text in Unicode's composed form (NFC), runs of space as one, without control characters, marks that change the
  /// direction of writing, and invisible characters (joiners stay: scripts need them); cut between characters to `limit`
  /// bytes. Invalid UTF-8 becomes U+FFFD. Empty where nothing is left.
  static func cleaned(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> [UInt8] {
    if bytes.count <= limit, isPlain(bytes) { return Array(bytes) }
    var scalars = String.UnicodeScalarView()
    var needsSpace = false
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch replacement(scalar) {
      case .nothing: continue
      case .space: needsSpace = !scalars.isEmpty
      case .itself:
        if needsSpace { scalars.append(" ") }
        needsSpace = false
        scalars.append(scalar)
      }
    }
    let text = String(scalars).precomposedStringWithCanonicalMapping
    return Array(cut(text, to: limit).utf8)
  }

  /// Printable ASCII without spaces at the ends or two in a row: as it should be.
  private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var last = UInt8(ascii: " ")
    for byte in bytes {
      guard 0x20..<0x7F ~= byte, byte != 0x20 || last != 0x20 else { return false }
      last = byte
    }
    return last != 0x20 || bytes.isEmpty
  }

  private enum Replacement { case itself, space, nothing }

  private static func replacement(_ scalar: Unicode.Scalar) -> Replacement {
    if scalar.value > 0x20, scalar.value < 0x7F { return .itself }
    switch scalar.properties.generalCategory {
    case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: return .space
    case .format:
      // Joiners, and the tags of flags.
      return scalar.value == 0x200C || scalar.value == 0x200D || (0xE0020...0xE007F).contains(scalar.value)
        ? .itself : .nothing
    case .surrogate: return .nothing
    case .unassigned: return scalar.properties.isNoncharacterCodePoint ? .nothing : .itself
    default: return .itself
    }
  }

  private static func cut(_ text: String, to limit: Int) -> Substring {
    guard text.utf8.count > limit else { return text[...] }
    var bytes = 0
    var end = text.startIndex
    for index in text.indices {
      bytes += text[index].utf8.count
      if bytes > limit { break }
      end = text.index(after: index)
    }
    while end > text.startIndex, text[text.index(before: end)] == " " { end = text.index(before: end) }
    return text[..<end]
  }
}
