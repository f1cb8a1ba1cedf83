// SPDX-License-Identifier: Apache-2.0

extension PackReader {
  /// Checks everything in the pack: checksums, order, counts, roles, labels, UTF-8 and the declared maxima.
  /// - Throws: ``PackError`` for the first broken rule.
  public func verify() throws(PackError) {
    let cursor = try makeCursor()
    var last: Int64 = 0, entries = 0, blocking = 0, identifying = 0, longest = 0
    while try cursor.next() {
      let number = cursor.number, roles = cursor.roles
      guard number > last, number <= PackLimits.greatestNumber else {
        throw PackError(.malformed, "numbers do not ascend", got: "\(number) after \(last)", entry: entries)
      }
      if roles.contains(.blocks) { blocking += 1 }
      if roles.contains(.identifies) {
        identifying += 1
        let (count, isValid) = cursor.withLabel { ($0.count, UTF8Rule.isValid($0)) }
        guard isValid else { throw PackError(.malformed, "a label is not UTF-8", entry: entries, number: number) }
        longest = max(longest, count)
      }
      last = number
      entries += 1
      if entries % header.blockEntries == 0 || entries == header.entryCount { try cursor.checkEnd() }
    }
    try same("entries", header.entryCount, entries)
    try same("blocking entries", header.blockingCount, blocking)
    try same("identifying entries", header.identificationCount, identifying)
    try same("the last number", Int(header.lastNumber), Int(last))
    try same("bytes of the longest label", header.maximumLabelBytes, longest)
    try same(
      "bytes of the largest block", header.maximumBlockBytes, (0..<index.count).map { index[$0].count }.max() ?? 0)
  }

  private func same(_ what: String, _ declared: Int, _ found: Int) throws(PackError) {
    guard declared == found else {
      throw PackError(.malformed, "the header declares \(what) wrongly", expected: "\(declared)", got: "\(found)")
    }
  }
}

extension PackCursor {
  /// At a block's last entry: only filler bits may follow in its label column.
  func checkEnd() throws(PackError) {
    guard let labels = state.pointee.labels, !labels.endsCleanly else { return }
    throw PackError(.malformed, "there are bits after the labels of block \(state.pointee.block)")
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
        at += 1
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
