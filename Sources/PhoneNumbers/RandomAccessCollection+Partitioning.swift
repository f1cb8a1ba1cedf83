extension RandomAccessCollection {
  /// The place of the first element of the second part of a collection that has two: those that a condition does not hold
  /// for, and behind them those that it does. ``endIndex`` where there are none.
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
