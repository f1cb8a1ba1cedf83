// SPDX-License-Identifier: Apache-2.0

/// Collects bits, most significant first.
package struct BitWriter {
  /// The complete bytes so far.
  package private(set) var bytes: [UInt8] = []
  private var pending: UInt64 = 0
  private var pendingCount = 0

  package init() {}

  /// The number of bits so far.
  package var count: Int { bytes.count << 3 + pendingCount }

  /// Appends the low `count` bits of `value`, 0 to 56.
  @inline(__always) package mutating func append(_ value: UInt64, count: Int) {
    pending = pending << UInt64(count) | value
    pendingCount += count
    while pendingCount >= 8 {
      pendingCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(pendingCount)))
    }
  }

  /// Fills the last byte with zeros.
  package mutating func align() {
    if pendingCount > 0 { append(0, count: 8 - pendingCount) }
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    pending = 0
    pendingCount = 0
  }
}
