// SPDX-License-Identifier: Apache-2.0

/// The dictionary of a pack in memory: the texts of its tokens and the two prefix codes that select them.
///
/// A symbol is a position in canonical order; the symbols of the second code follow those of the first. `starts[s]` is
/// the offset of the text of symbol `s`; its bit 31 says that the label ends after it, and its bit 30 that the text is not
/// well-formed UTF-8 by itself. A symbol without text is special: with bit 31 it repeats the previous label, without it
/// the label is spelled out.
package final class PackDictionary: @unchecked Sendable {
  // Unchecked: everything is written before `init` returns and never after.

  /// The number of bits of one table lookup.
  static let quickBits = 11
  /// Bytes that are independent of a dictionary's content: two tables, and zlib's 32 KB window while it is read.
  static let fixedBytes = 2 * (1 << quickBits) * 4 + 64 * 1024
  static let endBit: UInt32 = 1 << 31
  /// Labels of tokens without this bit are well-formed UTF-8, so that only the others are checked.
  static let partialBit: UInt32 = 1 << 30
  static let offsetMask: UInt32 = (1 << 30) - 1
  /// Spare bytes after the text, so that pieces are copied 16 bytes at a time.
  static let slack = 16

  let starts: UnsafeMutablePointer<UInt32>
  let text: UnsafeMutableRawPointer
  let symbolCount: Int
  let textBytes: Int
  /// The codes of a label's first token and of the tokens after it.
  let codes: (PrefixCode, PrefixCode)

  /// Creates a dictionary of the memory that the parser fills, and frees it in the end.
  init(
    starts: UnsafeMutablePointer<UInt32>, text: UnsafeMutableRawPointer, symbolCount: Int, textBytes: Int,
    codes: (PrefixCode, PrefixCode)
  ) {
    self.starts = starts
    self.text = text
    self.symbolCount = symbolCount
    self.textBytes = textBytes
    self.codes = codes
  }

  deinit {
    starts.deallocate()
    text.deallocate()
    codes.0.deallocate()
    codes.1.deallocate()
  }

  /// One symbol, in the form that the encoder needs.
  package struct Symbol {
    /// 0 for a label's first token, 1 for the others.
    package var table: Int
    package var code: UInt64
    package var bits: Int
    package var ends: Bool
    package var text: UnsafeRawBufferPointer
  }

  /// Calls `body` with every symbol in canonical order; the text is valid as long as the dictionary.
  package func forEachSymbol(_ body: (Symbol) -> Void) {
    for (table, code) in [codes.0, codes.1].enumerated() {
      for length in 1...PackLimits.codeBits {
        for offset in 0..<code.counts[length] {
          let symbol = code.symbols[length] + offset
          let start = Int(starts[symbol] & Self.offsetMask), end = Int(starts[symbol + 1] & Self.offsetMask)
          body(
            Symbol(
              table: table, code: UInt64(code.first[length] + offset), bits: length,
              ends: starts[symbol] & Self.endBit != 0,
              text: UnsafeRawBufferPointer(start: text + start, count: end - start)))
        }
      }
    }
  }
}

/// A canonical prefix code of at most 24 bits.
package struct PrefixCode {
  /// By length: the number of symbols, the first symbol, the first code.
  let counts: [Int]
  let symbols: [Int]
  let first: [Int]
  /// By the next 11 bits: symbol << 8 | length; 0 for longer codes and for bits that are no code.
  let quick: UnsafeMutablePointer<UInt32>
  /// By length: the code after the last, aligned left in 24 bits; and the symbol minus the first code.
  let limits: UnsafeMutablePointer<(limit: Int, shift: Int)>

  /// Creates the code whose symbols of length `l`, `counts[l]` of them, start at `base` in canonical order.
  ///
  /// `nil` when there are more codes than the bits allow.
  init?(counts: [Int], base: Int) {
    let longest = PackLimits.codeBits
    precondition(counts.count == longest + 1 && counts[0] == 0)
    var symbols = [Int](repeating: base, count: longest + 1)
    var first = [Int](repeating: 0, count: longest + 1)
    var code = 0, symbol = base
    for length in 1...longest {
      code <<= 1
      first[length] = code
      symbols[length] = symbol
      code += counts[length]
      symbol += counts[length]
      guard code <= 1 << length else { return nil }
    }
    self.counts = counts
    self.symbols = symbols
    self.first = first
    let width = PackDictionary.quickBits
    quick = .allocate(capacity: 1 << width)
    quick.initialize(repeating: 0, count: 1 << width)
    for length in 1...width {
      for offset in 0..<counts[length] {
        let from = (first[length] + offset) << (width - length)
        for index in from..<(from + (1 << (width - length))) {
          quick[index] = UInt32(symbols[length] + offset) << 8 | UInt32(length)
        }
      }
    }
    limits = .allocate(capacity: longest + 1)
    limits.initialize(repeating: (0, 0), count: longest + 1)
    for length in 1...longest {
      limits[length] = ((first[length] + counts[length]) << (longest - length), symbols[length] - first[length])
    }
  }

  func deallocate() {
    quick.deallocate()
    limits.deallocate()
  }
}
