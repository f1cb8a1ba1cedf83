// SPDX-License-Identifier: Apache-2.0

/// Values by key in memory of a fixed size. When it is full, small values are evicted first.
///
/// A key's hash selects eight slots. If all are used, the smallest value is evicted, so keys near their limit stay
/// longest. To evict a key, an attacker needs eight other keys with the same slots and larger values. Hashes are seeded
/// in every process, so slots cannot be chosen, and each of those keys has its own limit.
///
/// A shared counter without keys would never evict, but an attacker with many keys could raise the counters of others.
/// Here many keys only evict senders that have sent little.
struct BoundedTable: Sendable {
  private struct Place {
    var key: UInt64 = 0
    /// 0 for an empty slot.
    var value: UInt64 = 0
  }

  private static let places = 8
  private var table: [Place]
  private let mask: Int

  /// - Parameter capacity: rounded up to a power of two; each slot takes 16 bytes.
  init(capacity: Int) {
    var sets = 1
    while sets * Self.places < capacity { sets *= 2 }
    table = Array(repeating: Place(), count: sets * Self.places)
    mask = sets - 1
  }

  /// The value of a key; 0 if it is missing.
  subscript(key: some Hashable) -> UInt64 {
    get {
      let hash = Self.hash(key)
      return places(of: hash).lazy.map { table[$0] }.first { $0.key == hash }?.value ?? 0
    }
    set {
      let hash = Self.hash(key)
      let places = places(of: hash)
      let place =
        places.first { table[$0].key == hash } ?? places.min { table[$0].value < table[$1].value } ?? places.lowerBound
      table[place] = Place(key: hash, value: newValue)
    }
  }

  mutating func removeAll() {
    for place in table.indices { table[place] = Place() }
  }

  /// Collisions of 64-bit hashes are so rare that keys are not stored.
  private static func hash(_ key: some Hashable) -> UInt64 {
    UInt64(bitPattern: Int64(key.hashValue))
  }

  private func places(of hash: UInt64) -> Range<Int> {
    let first = (Int(truncatingIfNeeded: hash >> 20) & mask) * Self.places
    return first..<first + Self.places
  }
}
