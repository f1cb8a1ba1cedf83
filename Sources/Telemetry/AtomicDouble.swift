// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A number that several threads can set and add to.
struct AtomicDouble: ~Copyable, Sendable {
  private let bits = Atomic<UInt64>(0)

  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

  func add(_ amount: Double) {
    var known = bits.load(ordering: .relaxed)
    while true {
      let sum = Double(bitPattern: known) + amount
      let (isSet, found) = bits.weakCompareExchange(
        expected: known, desired: sum.bitPattern, ordering: .relaxed)
      if isSet { return }
      known = found
    }
  }
}
