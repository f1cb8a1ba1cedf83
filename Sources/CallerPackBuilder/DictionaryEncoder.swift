// SPDX-License-Identifier: Apache-2.0

import CZlib
import CallerPack

/// Writes a dictionary: the lengths of codes, from the counts of tokens, then the tokens in canonical order.
enum DictionaryEncoder {
  /// A token and its count, at least 1.
  struct Counted {
    var token: Token
    var count: Int
  }

  /// Encodes `tokens`, which are unique. `again` is the number of labels that repeat the previous one, `spelled` the
  /// number of labels that are spelled out.
  static func encode(_ tokens: [Counted], again: Int, spelled: Int) throws(PackError) -> PackEncoder.Dictionary {
    var bytes: [UInt8] = [], texts: [UInt8] = []
    var lengths: [[Int]] = [[], []]
    var lists: [[Counted]] = [[], []]
    for token in tokens { lists[token.token.starts ? 0 : 1].append(token) }
    // Any order is right that is independent of the order in which tokens were found.
    for table in 0..<2 {
      lists[table].sort {
        if $0.count != $1.count { return $0.count > $1.count }
        if $0.token.ends != $1.token.ends { return $1.token.ends }
        return $0.token.text.lexicographicallyPrecedes($1.token.text)
      }
      let specials = table == 0 ? (again > 0 ? [again] : []) + [spelled + 1] : []
      lengths[table] = CodeLengths.limited(specials + lists[table].map(\.count), most: PackLimits.codeBits)
    }
    // No code for repeats when equal labels follow one another only by chance: it would take room from the other codes.
    let specials = again > 0 ? 2 : 1
    bytes += [again > 0 ? UInt8(lengths[0][0]) : 0, UInt8(lengths[0][specials - 1])]
    var total = 0
    for table in 0..<2 {
      let own = Array(lengths[table].dropFirst(table == 0 ? specials : 0))
      let longest = own.max() ?? 0
      bytes.append(UInt8(longest))
      for length in 1..<max(longest + 1, 1) {
        for ends in [false, true] {
          let group = zip(lists[table], own).filter { $1 == length && $0.token.ends == ends }.map(\.0.token.text)
          appendVarint(group.count, to: &bytes)
          total += group.count
          append(group.sorted { $0.lexicographicallyPrecedes($1) }, to: &texts)
        }
      }
    }
    bytes += texts
    return try pack(bytes, tokens: total, text: tokens.reduce(0) { $0 + $1.token.text.count })
  }

  private static func appendVarint(_ value: Int, to bytes: inout [UInt8]) {
    var value = value
    while value > 127 {
      bytes.append(UInt8(value & 127) | 128)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }

  /// Front-codes a sorted group of texts: the number of bytes shared with the previous text, the number of other bytes,
  /// and those bytes.
  private static func append(_ group: [[UInt8]], to bytes: inout [UInt8]) {
    var before: [UInt8] = []
    for text in group {
      let shared = min(zip(text, before).prefix { $0 == $1 }.count, text.count - 1)
      bytes += [UInt8(shared), UInt8(text.count - shared)]
      bytes += text[shared...]
      before = text
    }
  }

  /// Stores the bytes in the smallest of the possible ways.
  private static func pack(_ bytes: [UInt8], tokens: Int, text: Int) throws(PackError) -> PackEncoder.Dictionary {
    var best = (coding: UInt8(0), payload: bytes)
    for strategy in [Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY] {
      let payload = try deflate(bytes, strategy)
      if payload.count < best.payload.count { best = (1, payload) }
    }
    var stored = [best.coding]
    stored.appendLittleEndian(UInt64(bytes.count), 4)
    stored += best.payload
    let sum = checksum(stored)
    let loaded = try PackDictionary.load(stored, text: text, tokens: tokens)
    return PackEncoder.Dictionary(stored: stored, checksum: sum, loaded: loaded, tokens: tokens)
  }

  private static func deflate(_ bytes: [UInt8], _ strategy: Int32) throws(PackError) -> [UInt8] {
    var stream = z_stream()
    guard
      deflateInit2_(&stream, 9, Z_DEFLATED, -15, 9, strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw PackError(.inputOutput, "zlib could not be started") }
    defer { _ = deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let count = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        let status = CZlib.deflate(&stream, Z_FINISH)
        return status == Z_STREAM_END ? target.count - Int(stream.avail_out) : -1
      }
    }
    guard count >= 0 else { throw PackError(.inputOutput, "zlib could not deflate the dictionary") }
    return Array(output[..<count])
  }
}

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

/// A token of a dictionary that is being trained.
struct Token: Hashable {
  var text: [UInt8]
  /// Whether the token starts a label.
  var starts: Bool
  /// Whether the token ends a label.
  var ends: Bool

  /// The index among a trie node's four values.
  var place: Int { (starts ? 0 : 2) | (ends ? 1 : 0) }
}
