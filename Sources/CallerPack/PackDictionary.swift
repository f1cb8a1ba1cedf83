// SPDX-License-Identifier: Apache-2.0

/// The dictionary of a pack in memory: the texts of its tokens and the two prefix codes that select them.
///
/// A symbol is a position in canonical order; the symbols of the second code follow the symbols of the first. `starts[s]` is
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

extension PackDictionary {
  /// Size of the start of a stored dictionary: one byte for the way it is stored, four for its expanded length.
  static let prefixBytes = 5

  /// The counts that a header declares.
  struct Declared {
    var stored: Int
    var text: Int
    var tokens: Int
    var checksum: UInt32
  }

  /// Reads the dictionary of `declared` size at `offset`. Its limits were checked with the header.
  static func load(_ source: PackSource, at offset: Int, _ declared: Declared) throws(PackError) -> PackDictionary {
    try check(source, at: offset, declared)
    guard declared.stored >= prefixBytes else { throw broken("it is shorter than its prefix") }
    let prefix = LittleEndian(try source.bytes(at: offset, count: prefixBytes))
    guard prefix.u8(0) <= 1 else { throw broken("the way it is stored is unknown") }
    guard prefix.int(1) <= 2 * PackLimits.dictionaryStoredBytes else { throw broken("it expands to too much") }
    var input = try ByteInflater(
      source, at: offset + prefixBytes, stored: declared.stored - prefixBytes, isDeflated: prefix.u8(0) == 1,
      count: prefix.int(1))
    let lengths = try Lengths(&input, tokens: declared.tokens)
    let symbols = lengths.counts.reduce(0) { $0 + $1.reduce(0, +) }
    guard let first = PrefixCode(counts: lengths.counts[0], base: 0) else { throw broken("too many short codes") }
    guard let second = PrefixCode(counts: lengths.counts[1], base: lengths.counts[0].reduce(0, +)) else {
      first.deallocate()
      throw broken("too many short codes")
    }
    let starts = UnsafeMutablePointer<UInt32>.allocate(capacity: symbols + 1)
    let text = UnsafeMutableRawPointer.allocate(byteCount: declared.text + slack, alignment: 16)
    let dictionary = PackDictionary(
      starts: starts, text: text, symbolCount: symbols, textBytes: declared.text, codes: (first, second))
    try dictionary.fill(&input, lengths)
    try input.finish()
    return dictionary
  }

  private static func broken(_ what: String) -> PackError {
    PackError(.malformed, "the dictionary is broken: \(what)", remedy: "fetch the pack again")
  }

  private static func check(_ source: PackSource, at offset: Int, _ declared: Declared) throws(PackError) {
    let piece = 4096
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
    defer { buffer.deallocate() }
    var sum: UInt32 = 0, done = 0
    while done < declared.stored {
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<min(piece, declared.stored - done)])
      try source.read(at: offset + done, into: part)
      sum = checksum(UnsafeRawBufferPointer(part), after: sum)
      done += part.count
    }
    guard sum == declared.checksum else {
      throw PackError(
        .corrupt, "the dictionary's checksum does not match", expected: "\(declared.checksum)", got: "\(sum)",
        remedy: "fetch the pack again")
    }
  }

  /// The number of tokens with each length of code.
  private struct Lengths {
    /// By table and length: the number of all symbols.
    var counts: [[Int]] = []
    /// By table and length: the number of tokens that are followed by another, and of tokens that end a label.
    var going: [[Int]] = []
    var ending: [[Int]] = []
    /// The lengths of the codes of the two special symbols; 0 for none.
    var again = 0
    var spelled = 0

    init(_ input: inout ByteInflater, tokens: Int) throws(PackError) {
      let longest = PackLimits.codeBits
      again = Int(try input.next())
      spelled = Int(try input.next())
      guard again <= longest, spelled <= longest else { throw broken("a code is too long") }
      var total = 0
      for table in 0..<2 {
        var going = [Int](repeating: 0, count: longest + 1), ending = going, counts = going
        let last = Int(try input.next())
        guard last <= longest else { throw broken("a code is too long") }
        for length in 1..<max(last + 1, 1) {
          going[length] = try input.varint()
          ending[length] = try input.varint()
          counts[length] = going[length] + ending[length]
          total += counts[length]
        }
        if table == 0 && again > 0 { counts[again] += 1 }
        if table == 0 && spelled > 0 { counts[spelled] += 1 }
        self.going.append(going)
        self.ending.append(ending)
        self.counts.append(counts)
      }
      guard total == tokens else {
        throw PackError(
          .malformed, "the dictionary has other tokens than declared", expected: "\(tokens)", got: "\(total)")
      }
    }
  }

  private func fill(_ input: inout ByteInflater, _ lengths: Lengths) throws(PackError) {
    var symbol = 0, end = 0
    for table in 0..<2 {
      for length in 1...PackLimits.codeBits {
        if table == 0 && length == lengths.again {
          starts[symbol] = UInt32(end) | Self.endBit
          symbol += 1
        }
        if table == 0 && length == lengths.spelled {
          starts[symbol] = UInt32(end)
          symbol += 1
        }
        for (count, flag) in [(lengths.going[table][length], 0), (lengths.ending[table][length], Self.endBit)] {
          var before = 0..<0
          for _ in 0..<count {
            let now = try token(&input, at: end, after: before)
            let isWhole = UTF8Rule.isValid(UnsafeRawBufferPointer(start: text + now.lowerBound, count: now.count))
            starts[symbol] = UInt32(now.lowerBound) | flag | (isWhole ? 0 : Self.partialBit)
            symbol += 1
            end = now.upperBound
            before = now
          }
        }
      }
    }
    guard end == textBytes else {
      throw PackError(
        .malformed, "the dictionary's text has another size than declared", expected: "\(textBytes)", got: "\(end)")
    }
    starts[symbol] = UInt32(end)
  }

  /// Reads a token to `at`: bytes shared with the previous token of its group, then its own bytes.
  private func token(_ input: inout ByteInflater, at: Int, after before: Range<Int>) throws(PackError) -> Range<Int> {
    let shared = Int(try input.next()), own = Int(try input.next())
    guard shared <= before.count, own > 0, shared + own <= PackLimits.tokenBytes else {
      throw Self.broken("a token has an impossible length")
    }
    guard at + shared + own <= textBytes else { throw Self.broken("its text is longer than declared") }
    let bytes = text.assumingMemoryBound(to: UInt8.self)
    for index in 0..<shared { bytes[at + index] = bytes[before.lowerBound + index] }
    for index in 0..<own { bytes[at + shared + index] = try input.next() }
    if shared < before.count {
      guard bytes[at + shared] > bytes[before.lowerBound + shared] else { throw Self.broken("tokens do not ascend") }
    }
    return at..<at + shared + own
  }
}

extension PackDictionary {
  /// Reads a dictionary that a writer has just created.
  package static func load(_ stored: [UInt8], text: Int, tokens: Int) throws(PackError) -> PackDictionary {
    guard stored.count <= PackLimits.dictionaryStoredBytes, text <= PackLimits.dictionaryTextBytes,
      tokens <= PackLimits.dictionaryTokens
    else { throw PackError(.tooLarge, "the dictionary is beyond its limits") }
    return try load(
      PackSource(bytes: stored), at: 0,
      Declared(stored: stored.count, text: text, tokens: tokens, checksum: checksum(stored)))
  }
}
