// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection {
  /// The index of the first element of the second part of a partitioned collection: elements for which a condition is
  /// false, followed by those for which it is true. ``endIndex`` where there are none.
  @inlinable
  package func partitioningIndex(where isInSecondPart: (Element) throws -> Bool) rethrows -> Index {
    var (low, count) = (startIndex, count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if try isInSecondPart(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
