// SPDX-License-Identifier: Apache-2.0

extension [Int64] {
  /// The index of the first of these ascending numbers that is `number` or greater; `count` where there is none.
  func firstPlace(atLeast number: Int64) -> Int {
    withUnsafeBufferPointer { sorted in
      var low = 0
      var count = sorted.count
      while count > 0 {
        let half = count / 2
        if sorted[low + half] < number {
          low += half + 1
          count -= half + 1
        } else {
          count = half
        }
      }
      return low
    }
  }
}
