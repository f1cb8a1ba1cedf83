// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Cleans names of directories. The script is unchanged; nothing is transliterated or re-cased.
enum NameCleaner {
  /// The text in Unicode's composed form (NFC), runs of spaces as one, without control characters, marks that change
  /// the direction of writing, and invisible characters (joiners stay: scripts need them); cut between characters to
  /// `limit` bytes. Invalid UTF-8 becomes U+FFFD. May be empty.
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

  /// Whether the text needs no cleaning: printable ASCII and composed Latin, Cyrillic and Chinese letters, without
  /// spaces at the ends or two in a row. Most names are like this; checking and composing each letter takes a hundred
  /// times as long.
  private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var isBehindSpace = true
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if 0x21..<0x7F ~= byte {
        at += 1
        isBehindSpace = false
      } else if byte == 0x20 {
        guard !isBehindSpace else { return false }
        at += 1
        isBehindSpace = true
      } else {
        let more = composedLetter(byte)
        guard more > 0, at + more < bytes.count, bytes[(at + 1)...(at + more)].allSatisfy({ 0x80..<0xC0 ~= $0 })
        else { return false }
        at += 1 + more
        isBehindSpace = false
      }
    }
    return !isBehindSpace || bytes.isEmpty
  }

  /// The number of bytes after a first byte that begins only letters and signs in composed form, whatever precedes or
  /// follows them among such letters; 0 for every other byte.
  private static func composedLetter(_ first: UInt8) -> Int {
    switch first {
    // U+00C0 to U+027F; U+0400 to U+047F.
    case 0xC3...0xC9, 0xD0, 0xD1: 1
    // U+4000 to U+9FFF.
    case 0xE4...0xE9: 2
    default: 0
    }
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
