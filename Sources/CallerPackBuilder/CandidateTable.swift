// SPDX-License-Identifier: Apache-2.0

/// Counts pieces of labels. A piece is identified by its first occurrence.
struct CandidateTable {
  /// A piece of the sample's text.
  struct Piece {
    var start: Int
    var count: Int
    /// Bit 0: the piece ends a label. Bit 1: it does not start one. The same as a token's place.
    var place: Int
  }

  private var keys = [UInt64](repeating: 0, count: 1 << 16)
  private var pieces: [UInt64] = [UInt64](repeating: 0, count: 1 << 16)
  private var totals = [UInt32](repeating: 0, count: 1 << 16)
  private(set) var used = 0

  private static func key(_ bytes: UnsafeRawBufferPointer, _ piece: Piece) -> UInt64 {
    let part = UnsafeRawBufferPointer(rebasing: bytes[piece.start..<piece.start + piece.count])
    let hash = (LabelSample.hash(part) ^ UInt64(piece.place)) &* 0xD6E8_FEB8_6659_FD93
    return hash | 1
  }

  private func find(_ key: UInt64) -> Int {
    let mask = keys.count - 1
    var at = Int(truncatingIfNeeded: key >> 24) & mask
    while keys[at] != 0 && keys[at] != key { at = (at + 1) & mask }
    return at
  }

  /// The count of the piece.
  func total(_ bytes: UnsafeRawBufferPointer, _ piece: Piece) -> Int { Int(totals[find(Self.key(bytes, piece))]) }

  /// Adds `weight` to the count of a piece.
  mutating func add(_ bytes: UnsafeRawBufferPointer, _ piece: Piece, _ weight: Int) {
    let key = Self.key(bytes, piece)
    var at = find(key)
    if keys[at] == 0 {
      if used * 4 >= keys.count * 3 {
        grow()
        at = find(key)
      }
      keys[at] = key
      pieces[at] = UInt64(piece.start) << 16 | UInt64(piece.count) << 2 | UInt64(piece.place)
      used += 1
    }
    totals[at] = UInt32(clamping: Int(totals[at]) + weight)
  }

  private mutating func grow() {
    let before = (keys, pieces, totals)
    let size = keys.count * 2
    keys = [UInt64](repeating: 0, count: size)
    pieces = keys
    totals = [UInt32](repeating: 0, count: size)
    for index in before.0.indices where before.0[index] != 0 {
      let at = find(before.0[index])
      keys[at] = before.0[index]
      pieces[at] = before.1[index]
      totals[at] = before.2[index]
    }
  }

  /// Calls `body` with every piece and its count, in an undefined order.
  func forEach(_ body: (Piece, Int) -> Void) {
    for index in keys.indices where keys[index] != 0 {
      let packed = pieces[index]
      body(
        Piece(start: Int(packed >> 16), count: Int(packed >> 2 & 0x3FFF), place: Int(packed & 3)), Int(totals[index]))
    }
  }
}
