// SPDX-License-Identifier: Apache-2.0

/// Writes a column of roles and labels. The format defines which of the possible codings of a label is used, so every
/// writer produces the same bytes from the same dictionary and entries.
package struct LabelEncoder {
  private struct Code {
    var code: UInt64
    var bits: Int
    var length: Int
  }
  private var trie = TokenTrie()
  private var codes: [Code] = []
  private var again: Code?
  private var spelled: Code?
  private let hasRoles: Bool
  private var roles = PackRoles.identifies
  private var last: [UInt8] = []
  /// By position in the label: the fewest bits from there to the end, and the token that starts them.
  private var costs: [Int32] = []
  private var choices: [Int32] = []

  /// Creates an encoder for packs of `kind`.
  package init(_ dictionary: PackDictionary, kind: PackKind) {
    hasRoles = kind == .both
    var list: [PackDictionary.Symbol] = []
    dictionary.forEachSymbol { list.append($0) }
    for symbol in list {
      let code = Code(code: symbol.code, bits: symbol.bits, length: symbol.text.count)
      if symbol.text.count == 0 {
        if symbol.ends { again = code } else { spelled = code }
      } else {
        trie.insert(symbol.text, symbol.table << 1 | (symbol.ends ? 1 : 0), Int32(codes.count))
        codes.append(code)
      }
    }
  }

  package mutating func restart() {
    roles = .identifies
    last.removeAll(keepingCapacity: true)
  }

  /// Appends an entry; `false` when the dictionary cannot express its label.
  package mutating func append(
    _ label: UnsafeRawBufferPointer, roles now: PackRoles, into output: inout BitWriter
  ) -> Bool {
    if hasRoles { append(now, into: &output) }
    guard now.contains(.identifies) else { return true }
    if let again, last.count == label.count, !last.isEmpty, last.elementsEqual(label) {
      output.append(again.code, count: again.bits)
      return true
    }
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: label)
    let cost = plan(label)
    if let spelled, cost < 0 || spelled.bits + 16 + 8 * label.count < cost {
      output.append(spelled.code, count: spelled.bits)
      output.append(UInt64(label.count), count: 16)
      for byte in label { output.append(UInt64(byte), count: 8) }
      return true
    }
    guard cost >= 0 else { return false }
    var at = 0
    while at < label.count {
      let token = codes[Int(choices[at])]
      output.append(token.code, count: token.bits)
      at += token.length
    }
    return true
  }

  private mutating func append(_ now: PackRoles, into output: inout BitWriter) {
    let step = (now.rawValue + 3 - roles.rawValue) % 3
    if step == 0 { output.append(0, count: 1) } else { output.append(UInt64(step) + 1, count: 2) }
    roles = now
  }

  /// Returns the fewest bits for a label and, among equals, prefers the longest first token; -1 when there is no
  /// coding.
  private mutating func plan(_ label: UnsafeRawBufferPointer) -> Int {
    let count = label.count
    while costs.count <= count {
      costs.append(-1)
      choices.append(-1)
    }
    costs[count] = 0
    var start = count - 1
    while start >= 0 {
      let table = start == 0 ? 0 : 2
      var best: Int32 = -1, choice: Int32 = -1
      var node = TokenTrie.root, at = start
      while at < count, let next = trie.child(node, label[at]) {
        node = next
        at += 1
        let token = trie.value(node, at == count ? table | 1 : table)
        guard token >= 0, costs[at] >= 0 else { continue }
        let cost = Int32(codes[Int(token)].bits) + costs[at]
        if best < 0 || cost <= best { (best, choice) = (cost, token) }
      }
      costs[start] = best
      choices[start] = choice
      start -= 1
    }
    return Int(costs[0])
  }
}

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
