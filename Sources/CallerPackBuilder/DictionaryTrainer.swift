// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// Selects the tokens of a dictionary with a unigram model, similar to SentencePiece.
///
/// The candidates are complete labels, runs of words and pieces of rare words. Each round splits every label into the
/// cheapest sequence of tokens and drops the tokens that save less than they cost. All arithmetic is on integers, so
/// the same labels give the same dictionary on every machine.
struct DictionaryTrainer {
  /// The memory of a reader that a dictionary may use in bytes: its text, and 4 bytes a token.
  struct Budget {
    var memory: Int
    var tokens: Int

    init(_ profile: PackProfile) {
      switch profile {
      case .lean: (memory, tokens) = (232 << 10, 32_000)
      case .standard: (memory, tokens) = (960 << 10, 120_000)
      }
    }
  }

  private var sample: LabelSample
  private let budget: Budget
  private var tokens: [Token] = []
  private var counts: [Int] = []
  private var spelled = 0

  private init(_ sample: LabelSample, _ budget: Budget) {
    self.sample = sample
    self.budget = budget
  }

  /// Creates the dictionary for a sample.
  static func train(_ sample: LabelSample, _ profile: PackProfile) throws(PackError) -> PackEncoder.Dictionary {
    var trainer = DictionaryTrainer(sample, Budget(profile))
    let again = trainer.sample.settleRepeats()
    let candidates = Candidates.collect(trainer.sample)
    trainer.tokens = candidates.map(\.token)
    trainer.counts = candidates.map(\.count)
    let rounds = 3
    for round in 1...rounds {
      trainer.count()
      trainer.prune(share: round == rounds ? 1 : 1 + 2 * (rounds - round))
    }
    trainer.count()
    trainer.count()
    let used = zip(trainer.tokens, trainer.counts)
      .filter { $1 > 0 || ($0.text.count == 1 && sample.count > 1000) }
      .map { DictionaryEncoder.Counted(token: $0, count: max($1, 1)) }
    return try DictionaryEncoder.encode(used, again: again, spelled: trainer.spelled)
  }

  /// Splits every label with the current costs, and counts the tokens again.
  private mutating func count() {
    var parser = LabelParser(tokens, counts, spelled: spelled)
    var fresh = [Int](repeating: 0, count: tokens.count)
    spelled = 0
    sample.text.withUnsafeBytes { bytes in
      for index in 0..<sample.count {
        let label = UnsafeRawBufferPointer(rebasing: bytes[sample.label(index)])
        if parser.parse(label, startsLabel: true, endsLabel: true, without: -1) != nil {
          for token in parser.path(label.count) { fresh[token] += sample.counts[index] }
        } else {
          spelled += sample.counts[index]
        }
      }
    }
    counts = fresh
  }

  /// Drops the tokens that save less than they cost, and those beyond `share` times the budget.
  private mutating func prune(share: Int) {
    var parser = LabelParser(tokens, counts, spelled: spelled)
    var ranked: [(worth: Int, token: Int)] = []
    for (index, token) in tokens.enumerated() {
      if token.text.count == 1 {
        ranked.append((Int.max, index))
        continue
      }
      guard counts[index] > 0 else { continue }
      let own = parser.cost(index)
      let other = token.text.withUnsafeBytes {
        parser.parse($0, startsLabel: token.starts, endsLabel: token.ends, without: index)
      }
      let saved = counts[index] * ((other ?? own + 64 * LabelParser.bit) - own)
      // Front-coded and deflated, a token needs about two bytes and half of its text.
      let price = (16 + 4 * token.text.count) * LabelParser.bit
      guard saved > price, counts[index] >= 2 << sample.thinning else { continue }
      ranked.append((saved / (token.text.count + 4), index))
    }
    ranked.sort { ($0.worth, $1.token) > ($1.worth, $0.token) }
    var memory = 0
    var kept: [Int] = []
    for (_, index) in ranked.prefix(budget.tokens * share) {
      memory += tokens[index].text.count + 4
      guard memory <= budget.memory * share else { break }
      kept.append(index)
    }
    kept.sort()
    counts = kept.map { counts[$0] }
    tokens = kept.map { tokens[$0] }
  }
}

/// Labels and their counts in limited memory: the input of the dictionary trainer.
///
/// All labels are kept while they fit. After that, labels that occurred once are thinned by their hash, and the kept
/// ones also count for the dropped ones. The selection depends only on the labels and their order.
struct LabelSample {
  /// The most bytes of text that are kept.
  static let maxBytes = 16 << 20
  /// The most labels that are kept.
  static let maxLabels = 800_000

  /// The texts, one after another.
  private(set) var text: [UInt8] = []
  /// The offset of each label; one more at the end.
  private(set) var starts: [Int] = [0]
  /// The count of each label.
  private(set) var counts: [Int] = []
  /// By label: how often it was equal to the previous label; not in ``counts``.
  private(set) var repeats: [Int] = []
  /// How often a label that was not kept was equal to the previous label.
  private var otherRepeats = 0
  private var before: [UInt8] = []
  private var slots = [Int32](repeating: -1, count: 1 << 12)
  /// The number of zero bits at which the hash of a new label must end.
  private(set) var thinning = 0
  private var last = -1

  /// The number of distinct labels.
  var count: Int { counts.count }

  func label(_ index: Int) -> Range<Int> { starts[index]..<starts[index + 1] }

  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    hash ^= hash >> 32
    return hash &* 0x9E37_79B9_7F4A_7C15
  }

  /// Counts a label.
  mutating func add(_ label: UnsafeRawBufferPointer) {
    if before.count == label.count, before.elementsEqual(label), !label.isEmpty {
      if last >= 0 { repeats[last] += 1 } else { otherRepeats += 1 }
      return
    }
    before.removeAll(keepingCapacity: true)
    before.append(contentsOf: label)
    let hash = Self.hash(label)
    let mask = slots.count - 1
    var at = Int(truncatingIfNeeded: hash >> 32) & mask
    while slots[at] >= 0 {
      let index = Int(slots[at])
      if isSame(index, label) {
        counts[index] += 1
        last = index
        return
      }
      at = (at + 1) & mask
    }
    last = -1
    guard hash & (1 << UInt64(thinning) - 1) == 0 else { return }
    slots[at] = Int32(counts.count)
    last = counts.count
    text.append(contentsOf: label)
    starts.append(text.count)
    counts.append(1 << thinning)
    repeats.append(0)
    if text.count > Self.maxBytes || counts.count > Self.maxLabels { thin() }
    if counts.count * 2 > slots.count { index(slots.count * 2) }
  }

  private func isSame(_ index: Int, _ other: UnsafeRawBufferPointer) -> Bool {
    let range = label(index)
    return range.count == other.count && text[range].elementsEqual(other)
  }

  /// Drops the code for repeated labels when equal labels follow one another only by chance, and returns its count.
  ///
  /// Compares the entropy of labels with a code for repeats to the entropy with each label counted where it occurs.
  mutating func settleRepeats() -> Int {
    let again = repeats.reduce(otherRepeats, +)
    let all = counts.reduce(0, +)
    var with = 0, without = 0
    for index in counts.indices {
      with += counts[index] * (LabelParser.log(all + again) - LabelParser.log(counts[index]))
      let total = counts[index] + repeats[index]
      without += total * (LabelParser.log(all + again) - LabelParser.log(total))
    }
    if again > 0 { with += again * (LabelParser.log(all + again) - LabelParser.log(again)) }
    if with < without { return again }
    for index in counts.indices { counts[index] += repeats[index] }
    return 0
  }

  private mutating func thin() {
    thinning += 1
    var kept = LabelSample()
    text.withUnsafeBytes { bytes in
      for index in counts.indices {
        let label = UnsafeRawBufferPointer(rebasing: bytes[self.label(index)])
        let isRare = counts[index] < 1 << thinning
        guard !isRare || Self.hash(label) & (1 << UInt64(thinning) - 1) == 0 else { continue }
        kept.text.append(contentsOf: label)
        kept.starts.append(kept.text.count)
        kept.counts.append(isRare ? counts[index] * 2 : counts[index])
        kept.repeats.append(isRare ? repeats[index] * 2 : repeats[index])
      }
    }
    (text, starts, counts, repeats) = (kept.text, kept.starts, kept.counts, kept.repeats)
    last = -1
    index(slots.count)
  }

  private mutating func index(_ size: Int) {
    slots = [Int32](repeating: -1, count: size)
    text.withUnsafeBytes { bytes in
      for index in counts.indices {
        let hash = Self.hash(UnsafeRawBufferPointer(rebasing: bytes[label(index)]))
        var at = Int(truncatingIfNeeded: hash >> 32) & (size - 1)
        while slots[at] >= 0 { at = (at + 1) & (size - 1) }
        slots[at] = Int32(index)
      }
    }
  }
}
