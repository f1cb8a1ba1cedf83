// SPDX-License-Identifier: Apache-2.0

/// A bounded cache of outcomes by exact text and region: each slot holds the latest text with its hash.
///
/// Only ASCII texts of up to 24 bytes are kept, byte for byte. (Swift treats canonically equivalent strings as equal,
/// libphonenumber does not; for ASCII texts the two agree.)
struct OutcomeMemory {
  /// A text and the region it was dialed from.
  struct Key: Equatable {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let region: UInt16

    /// Nil for a text that is empty, longer than 24 bytes, not ASCII, or contains a NUL.
    init?(text: UnsafeBufferPointer<UInt8>, region: UInt16) {
      guard 1...24 ~= text.count, text.allSatisfy({ 1...127 ~= $0 }) else { return nil }
      first = Self.word(text, 0)
      second = Self.word(text, 8)
      third = Self.word(text, 16)
      self.region = region
    }

    /// The key of no text, since it has no bytes.
    static let none = Key()

    private init() { (first, second, third, region) = (0, 0, 0, 0) }

    private static func word(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt64 {
      var word: UInt64 = 0
      var index = start
      while index < min(start + 8, text.count) {
        word |= UInt64(text[index]) << (8 * UInt64(index - start))
        index += 1
      }
      return word
    }

    /// A multiplicative mix of all the bytes; the high bits are mixed best.
    var hash: UInt64 {
      var mixed = first &* 0x9E37_79B9_7F4A_7C15
      mixed = (mixed ^ (mixed >> 32) ^ second) &* 0xD6E8_FEB8_6659_FD93
      mixed = (mixed ^ (mixed >> 32) ^ third) &* 0x9E37_79B9_7F4A_7C15
      return (mixed ^ (mixed >> 32) ^ UInt64(region)) &* 0xD6E8_FEB8_6659_FD93
    }
  }

  private struct Slot {
    var key = Key.none
    var outcome = ParseOutcome.blank
  }

  private var slots: [Slot]
  private let shift: UInt64

  init(capacity: Int) {
    let bits = capacity > 0 ? min(24, Int.bitWidth - (capacity - 1).leadingZeroBitCount) : 0
    slots = capacity > 0 ? Array(repeating: Slot(), count: 1 << bits) : []
    shift = UInt64(64 - bits)
  }

  /// Whether the cache has no slots.
  var isEmpty: Bool { slots.isEmpty }

  subscript(key: Key) -> ParseOutcome? {
    get {
      guard !slots.isEmpty else { return nil }
      let slot = slots[Int(key.hash >> shift)]
      return slot.key == key ? slot.outcome : nil
    }
    set {
      guard !slots.isEmpty, let newValue else { return }
      slots[Int(key.hash >> shift)] = Slot(key: key, outcome: newValue)
    }
  }
}
