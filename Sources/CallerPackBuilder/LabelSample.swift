internal import CallerPack

/// Labels with how often each occurs, in bounded memory: the material a dictionary is made from.
///
/// While they fit, every label is kept. When they do not, labels that occurred once are thinned by their hash, and
/// those that stay count for those that went. The choice depends on nothing but the labels and their order.
struct LabelSample {
  /// Bytes of text that are kept at most.
  static let mostBytes = 16 << 20
  /// Labels that are kept at most.
  static let mostLabels = 800_000

  /// The texts, one after another.
  private(set) var text: [UInt8] = []
  /// Where each label starts; one more at the end.
  private(set) var starts: [Int] = [0]
  /// How often each occurs.
  private(set) var counts: [Int] = []
  /// How often each was the same as the one before it; not in ``counts``.
  private(set) var repeats: [Int] = []
  /// How often a label that was not kept was the same as the one before it.
  private var otherRepeats = 0
  private var before: [UInt8] = []
  private var slots = [Int32](repeating: -1, count: 1 << 12)
  /// Only labels whose hash ends in this many zeros enter now.
  private(set) var thinning = 0
  private var last = -1

  /// Distinct labels.
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
    if text.count > Self.mostBytes || counts.count > Self.mostLabels { thin() }
    if counts.count * 2 > slots.count { index(slots.count * 2) }
  }

  private func isSame(_ index: Int, _ other: UnsafeRawBufferPointer) -> Bool {
    let range = label(index)
    return range.count == other.count && text[range].elementsEqual(other)
  }

  /// Gives up the code for a repeated label when labels follow one another by chance, and tells how often it is used.
  ///
  /// By the entropy of whole labels: with a code for repeats, and with each label counted wherever it stands.
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
