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

  /// Starts another column.
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
