// SPDX-License-Identifier: Apache-2.0

internal import CallerPack

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
