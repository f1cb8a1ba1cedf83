// SPDX-License-Identifier: Apache-2.0

/// Numbers with the same prefix and length: an interval of the index.
struct SearchRange: Sendable, Equatable {
  let least: Int64
  let greatest: Int64

  /// The intervals of all numbers with a prefix, ascending.
  /// - Parameter digits: 1 to 15, the first not 0.
  static func beginning(with digits: Int64) -> [SearchRange] {
    var ranges: [SearchRange] = []
    var size: Int64 = 1
    while digits <= 999_999_999_999_999 / size {
      ranges.append(SearchRange(least: digits * size, greatest: digits * size + size - 1))
      size *= 10
    }
    return ranges
  }
}
