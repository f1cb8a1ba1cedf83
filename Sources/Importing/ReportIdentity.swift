// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Creates ids for rows without one, so that the same row has the same id in every run.
///
/// An id is derived from the source's name, the row's content and the number of rows with this content before it in the
/// file. A file with all rows of an earlier one and more, in any order, therefore repeats the earlier ids and adds new
/// ones.
///
/// Memory: a table of 64-bit prefixes at most three quarters full, 11 to 22 bytes for each distinct row and half as
/// much again while it grows, and about 32 bytes for each content that occurs more than once.
struct ReportIdentity {
  private var slots: [UInt64] = Array(repeating: 0, count: 1 << 12)
  private var used = 0
  private var repeated: [UInt64: UInt64] = [:]

  /// The id of the file's next row with this content.
  mutating func next(_ digest: ContentDigest) -> UUID {
    // 0 marks a free slot.
    let key = digest.low == 0 ? 1 : digest.low
    if insert(key) { return digest.reportID(ordinal: 0) }
    let ordinal = repeated[key, default: 0] + 1
    repeated[key] = ordinal
    return digest.reportID(ordinal: ordinal)
  }

  /// Whether the key was new.
  private mutating func insert(_ key: UInt64) -> Bool {
    if used * 4 >= slots.count * 3 { grow() }
    guard Self.insert(key, into: &slots) else { return false }
    used += 1
    return true
  }

  private mutating func grow() {
    var larger = [UInt64](repeating: 0, count: slots.count * 2)
    for key in slots where key != 0 { _ = Self.insert(key, into: &larger) }
    slots = larger
  }

  /// The keys are bits of a SHA-256, so their low bits are evenly distributed.
  private static func insert(_ key: UInt64, into slots: inout [UInt64]) -> Bool {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: key) & mask
    while slots[index] != 0 {
      if slots[index] == key { return false }
      index = (index + 1) & mask
    }
    slots[index] = key
    return true
  }
}
