// SPDX-License-Identifier: Apache-2.0

internal import CallerPack

/// Splits labels into the cheapest tokens, by the counts of tokens.
struct LabelParser {
  /// The cost of a bit: costs are integers in units of 1/256 bit.
  static let bit = 256

  private var trie = TokenTrie()
  private var costs: [Int32] = []
  private var lengths: [Int32] = []
  private var best: [Int32] = []
  private var choice: [Int32] = []

  init(_ tokens: [Token], _ counts: [Int], spelled: Int) {
    var totals = [spelled + 1, 1]
    for (token, count) in zip(tokens, counts) { totals[token.starts ? 0 : 1] += max(count, 1) }
    let logs = totals.map(Self.log)
    costs.reserveCapacity(tokens.count)
    for (index, token) in tokens.enumerated() {
      costs.append(Int32(max(logs[token.starts ? 0 : 1] - Self.log(max(counts[index], 1)), Self.bit / 8)))
      lengths.append(Int32(token.text.count))
      token.text.withUnsafeBytes { trie.insert($0, token.place, Int32(index)) }
    }
  }

  /// Returns the binary logarithm in units of 1/256, computed by squaring integers.
  static func log(_ value: Int) -> Int {
    let whole = Int.bitWidth - 1 - value.leadingZeroBitCount
    var mantissa = (UInt64(value) << UInt64(31 - min(whole, 31))) >> UInt64(max(whole - 31, 0))
    var result = whole
    for _ in 0..<8 {
      mantissa = mantissa &* mantissa >> 31
      result <<= 1
      if mantissa >= 1 << 32 {
        mantissa >>= 1
        result |= 1
      }
    }
    return result
  }

  /// Returns the cost of a token.
  func cost(_ token: Int) -> Int { Int(costs[token]) }

  /// Returns the least cost of `text`, split into tokens other than `without`; `nil` when there is no split.
  mutating func parse(
    _ text: UnsafeRawBufferPointer, startsLabel: Bool, endsLabel: Bool, without: Int
  ) -> Int? {
    let count = text.count
    while best.count <= count {
      best.append(-1)
      choice.append(-1)
    }
    best[count] = 0
    var start = count - 1
    while start >= 0 {
      let place = start == 0 && startsLabel ? 0 : 2
      var least: Int32 = -1, token: Int32 = -1
      var node = TokenTrie.root, at = start
      while at < count, let next = trie.child(node, text[at]) {
        node = next
        at += 1
        let found = trie.value(node, at == count && endsLabel ? place | 1 : place)
        guard found >= 0, best[at] >= 0, Int(found) != without else { continue }
        let cost = costs[Int(found)] + best[at]
        if least < 0 || cost <= least { (least, token) = (cost, found) }
      }
      best[start] = least
      choice[start] = token
      start -= 1
    }
    return best[0] < 0 ? nil : Int(best[0])
  }

  /// Returns the tokens of the last parsed text, which has `count` bytes.
  func path(_ count: Int) -> [Int] {
    var path: [Int] = []
    var at = 0
    while at < count {
      let token = Int(choice[at])
      path.append(token)
      at += Int(lengths[token])
    }
    return path
  }
}
