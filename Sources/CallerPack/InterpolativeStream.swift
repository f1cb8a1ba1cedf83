// SPDX-License-Identifier: Apache-2.0

/// Decodes a run of any length one value at a time, in memory proportional to the logarithm of its length.
///
/// The code of a run is its middle, its left part, its right part. A depth-first walk gives the values in ascending
/// order.
struct InterpolativeStream {
  private struct Pending {
    var middle: Int64
    var count: Int
    var high: Int64
  }
  private var decoder: InterpolativeDecoder
  private var stack: [Pending] = []
  private var run: (next: Int64, left: Int) = (0, 0)

  /// Creates a stream. The caller has checked that `high - low + 1 >= count`.
  init(_ input: BitReader, _ variant: Interpolative.Variant, count: Int, low: Int64, high: Int64) {
    decoder = InterpolativeDecoder(input: input, variant: variant)
    stack.reserveCapacity(32)
    descend(count, low, high)
  }

  /// Whether more bits were read than the column has.
  var isOverrun: Bool { decoder.input.isOverrun }
  /// Whether all bits were read except fewer than eight zeros that fill the last byte.
  var endsCleanly: Bool { decoder.input.endsCleanly }
  /// The number of bits read so far.
  var position: Int { decoder.input.position }

  private mutating func descend(_ count: Int, _ low: Int64, _ high: Int64) {
    var count = count, high = high
    while count > 0 {
      if high &- low &+ 1 == Int64(count) {
        run = (low, count)
        return
      }
      let (left, base, range) = Interpolative.middle(count, low, high)
      let middle = base &+ Int64(bitPattern: decoder.value(range))
      stack.append(Pending(middle: middle, count: count &- left &- 1, high: high))
      count = left
      high = middle &- 1
    }
  }

  /// Returns the next value, or `nil` at the end.
  mutating func next() -> Int64? {
    if run.left > 0 {
      defer { run = (run.next &+ 1, run.left - 1) }
      return run.next
    }
    guard let top = stack.popLast() else { return nil }
    descend(top.count, top.middle &+ 1, top.high)
    return top.middle
  }
}
