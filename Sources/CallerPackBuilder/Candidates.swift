// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// The pieces of labels that may become tokens.
enum Candidates {
  /// The most words in one token.
  private static let maxWords = 4
  /// The most bytes of a piece within a word.
  private static let maxPieceBytes = 6
  /// The least count of a word that stays in one piece.
  private static let rareWord = 64
  /// The least count of a candidate.
  private static let minCount = 3
  /// The most candidates.
  private static let most = 200_000

  /// Returns all candidates with an estimate of their counts, in a fixed order.
  static func collect(_ sample: LabelSample) -> [DictionaryEncoder.Counted] {
    let minCount = minCount << sample.thinning
    var singles = CandidateTable(), runs = CandidateTable(), pieces = CandidateTable()
    return sample.text.withUnsafeBytes { bytes in
      forEachLabel(sample, bytes) { words, weight in
        for word in words.indices { singles.add(bytes, piece(words, word, word), weight) }
      }
      forEachLabel(sample, bytes) { words, weight in
        for from in words.indices {
          for to in from..<min(from + maxWords, words.count) {
            // A run is frequent only if its words are.
            guard singles.total(bytes, piece(words, to, to)) >= minCount else { break }
            if to > from { runs.add(bytes, piece(words, from, to), weight) }
          }
          guard from == 0, words.count > maxWords else { continue }
          if weight >= minCount { runs.add(bytes, piece(words, 0, words.count - 1), weight) }
        }
      }
      singles.forEach { word, total in
        if total < rareWord << sample.thinning {
          cut(word, total, bytes, &pieces)
        } else {
          cutSingles(word, total, bytes, &pieces)
        }
      }
      return rank(sample, bytes, [singles, runs], pieces)
    }
  }

  private static func rank(
    _ sample: LabelSample, _ bytes: UnsafeRawBufferPointer, _ words: [CandidateTable], _ pieces: CandidateTable
  ) -> [DictionaryEncoder.Counted] {
    let least = minCount << sample.thinning
    var list: [(piece: CandidateTable.Piece, total: Int, worth: Int)] = []
    func take(_ piece: CandidateTable.Piece, _ total: Int) {
      guard total >= least || piece.count == 1, piece.count <= PackLimits.tokenBytes else { return }
      list.append((piece, total, piece.count == 1 ? Int.max : total * (piece.count - 1)))
    }
    for table in words { table.forEach(take) }
    pieces.forEach { piece, total in
      // A piece that is a word elsewhere was counted as a word.
      guard words.allSatisfy({ $0.total(bytes, piece) < (piece.count == 1 ? 1 : least) }) else { return }
      take(piece, total)
    }
    func text(_ piece: CandidateTable.Piece) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: bytes[piece.start..<piece.start + piece.count])
    }
    list.sort { a, b in
      if a.worth != b.worth { return a.worth > b.worth }
      if a.piece.place != b.piece.place { return a.piece.place < b.piece.place }
      return text(a.piece).lexicographicallyPrecedes(text(b.piece))
    }
    return list.prefix(most).map { item in
      DictionaryEncoder.Counted(
        token: Token(
          text: Array(text(item.piece)), starts: item.piece.place & 2 == 0, ends: item.piece.place & 1 == 1),
        count: item.total)
    }
  }

  /// Returns the words with the spaces after them.
  private static func forEachLabel(
    _ sample: LabelSample, _ bytes: UnsafeRawBufferPointer, _ body: ([Range<Int>], Int) -> Void
  ) {
    var words: [Range<Int>] = []
    for index in 0..<sample.count {
      let label = sample.label(index)
      words.removeAll(keepingCapacity: true)
      var from = label.lowerBound
      for at in label where bytes[at] == 0x20 && at + 1 < label.upperBound && bytes[at + 1] != 0x20 {
        words.append(from..<at + 1)
        from = at + 1
      }
      words.append(from..<label.upperBound)
      body(words, sample.counts[index])
    }
  }

  private static func piece(_ words: [Range<Int>], _ from: Int, _ to: Int) -> CandidateTable.Piece {
    let range = words[from].lowerBound..<words[to].upperBound
    return CandidateTable.Piece(
      start: range.lowerBound, count: min(range.count, 4000),
      place: (from == 0 ? 0 : 2) | (to == words.count - 1 ? 1 : 0))
  }

  private static func cut(
    _ word: CandidateTable.Piece, _ total: Int, _ bytes: UnsafeRawBufferPointer, _ pieces: inout CandidateTable
  ) {
    for from in 0..<word.count {
      for to in (from + 1)..<(min(from + maxPieceBytes, word.count) + 1) {
        pieces.add(bytes, part(word, from, to), total)
      }
    }
  }

  private static func cutSingles(
    _ word: CandidateTable.Piece, _ total: Int, _ bytes: UnsafeRawBufferPointer, _ pieces: inout CandidateTable
  ) {
    for from in 0..<word.count { pieces.add(bytes, part(word, from, from + 1), total) }
  }

  private static func part(_ word: CandidateTable.Piece, _ from: Int, _ to: Int) -> CandidateTable.Piece {
    CandidateTable.Piece(
      start: word.start + from, count: to - from,
      place: (from == 0 && word.place & 2 == 0 ? 0 : 2) | (to == word.count && word.place & 1 == 1 ? 1 : 0))
  }
}

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
