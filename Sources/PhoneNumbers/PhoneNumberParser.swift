// SPDX-License-Identifier: Apache-2.0

/// Parses many texts with the same results as ``PhoneNumber/init(parsing:region:)``, and caches them.
///
/// One parser belongs to one task at a time: it is a value that changes as it parses. The cache pays off for repeated
/// texts, as in complaints; not for a directory.
public struct PhoneNumberParser: Sendable {
  /// Number of parsed texts, and of those answered from the cache.
  public struct Statistics: Hashable, Sendable {
    /// Texts with a supported region or none.
    public internal(set) var texts = 0
    /// Texts answered from the cache.
    public internal(set) var remembered = 0
  }

  /// Counts since the parser was made.
  public private(set) var statistics = Statistics()

  private var memory: OutcomeMemory
  private var place = DialingPlace.nowhere
  private var lastRegion: String?

  /// A parser that caches up to `capacity` texts at 48 bytes each, rounded up to a power of two and at most 2²⁴; 0 for
  /// none.
  public init(capacity: Int = 65_536) {
    memory = OutcomeMemory(capacity: capacity)
  }

  /// Reads one text, as ``PhoneNumber/init(parsing:region:)`` does.
  /// - Throws: every case of ``PhoneNumberError``.
  public mutating func parse(_ text: String, region: String?) throws(PhoneNumberError) -> PhoneNumber {
    if region != lastRegion {
      place = try DialingPlace(region)
      lastRegion = region
    }
    statistics.texts += 1
    guard !memory.isEmpty else { return try ParseOutcome(parsing: text, from: place).number() }
    var text = text
    let key = text.withUTF8 { OutcomeMemory.Key(text: $0, region: place.packed) }
    guard let key else { return try ParseOutcome(parsing: text, from: place).number() }
    if let outcome = memory[key] {
      statistics.remembered += 1
      return try outcome.number()
    }
    let outcome = ParseOutcome(parsing: text, from: place)
    memory[key] = outcome
    return try outcome.number()
  }
}
