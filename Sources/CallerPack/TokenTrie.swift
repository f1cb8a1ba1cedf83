// SPDX-License-Identifier: Apache-2.0

/// A set of byte strings, each with up to four values, that is searched one byte at a time.
package struct TokenTrie {
  /// Open addressing: node << 8 | byte, plus one; 0 is free.
  private var keys: [UInt64]
  private var children: [UInt32]
  private var used = 0
  /// Four values a node; -1 is none.
  private var values: [Int32] = [-1, -1, -1, -1]

  /// The node of the empty string.
  package static let root: UInt32 = 0

  package init() {
    keys = [UInt64](repeating: 0, count: 1 << 12)
    children = [UInt32](repeating: 0, count: 1 << 12)
  }

  @inline(__always)
  private static func slot(_ key: UInt64, _ mask: Int) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
  }

  /// Returns the node of `node`'s string followed by `byte`; `nil` when no string starts like that.
  @inline(__always)
  package func child(_ node: UInt32, _ byte: UInt8) -> UInt32? {
    let key = (UInt64(node) << 8 | UInt64(byte)) + 1
    let mask = keys.count - 1
    var at = Self.slot(key, mask)
    while true {
      let found = keys[at]
      if found == key { return children[at] }
      if found == 0 { return nil }
      at = (at + 1) & mask
    }
  }

  /// Returns the value in `place`, 0 to 3, of a node; -1 is none.
  @inline(__always)
  package func value(_ node: UInt32, _ place: Int) -> Int32 { values[Int(node) << 2 | place] }

  /// Sets a value of a string, unless it has one: of a token with two code words, the shorter comes first.
  package mutating func insert(_ text: UnsafeRawBufferPointer, _ place: Int, _ value: Int32) {
    var node = Self.root
    for byte in text {
      if let next = child(node, byte) {
        node = next
      } else {
        node = add(node, byte)
      }
    }
    if values[Int(node) << 2 | place] < 0 { values[Int(node) << 2 | place] = value }
  }

  private mutating func add(_ node: UInt32, _ byte: UInt8) -> UInt32 {
    if used * 2 >= keys.count { grow() }
    let new = UInt32(values.count >> 2)
    values += [-1, -1, -1, -1]
    put((UInt64(node) << 8 | UInt64(byte)) + 1, new)
    used += 1
    return new
  }

  private mutating func put(_ key: UInt64, _ child: UInt32) {
    let mask = keys.count - 1
    var at = Self.slot(key, mask)
    while keys[at] != 0 { at = (at + 1) & mask }
    keys[at] = key
    children[at] = child
  }

  private mutating func grow() {
    let before = (keys, children)
    keys = [UInt64](repeating: 0, count: before.0.count * 2)
    children = [UInt32](repeating: 0, count: before.0.count * 2)
    for (key, child) in zip(before.0, before.1) where key != 0 { put(key, child) }
  }
}
