// SPDX-License-Identifier: Apache-2.0

/// Binary interpolative coding of ascending integers (Moffat and Stuiver, 2000), the coding of every number column.
///
/// The middle value of a run is written within the range that its neighbors leave, then the run to its left, then the
/// run to its right. A value within a range has a truncated binary code. The two variants differ only in the position
/// of the short codes.
package enum Interpolative {
  /// The position of the short codes of a truncated binary code.
  package enum Variant: UInt8, CaseIterable, Sendable {
    /// In the middle of the range: best for evenly spread numbers.
    case centre = 0
    /// At both ends of the range: best for numbers in runs.
    case edges = 1
  }

  /// Returns the range of the middle value of `count` values within `low...high`.
  ///
  /// The condition `high - low + 1 >= count >= 1` holds for every run inside a run for which it holds.
  @inline(__always)
  static func middle(_ count: Int, _ low: Int64, _ high: Int64) -> (left: Int, base: Int64, range: UInt64) {
    let left = count >> 1
    let base = low &+ Int64(left)
    let top = high &- Int64(count &- 1 &- left)
    return (left, base, UInt64(bitPattern: top &- base &+ 1))
  }

  /// Returns how many codes are short and which value has the first of them; `range` is at least 2.
  @inline(__always)
  static func shape(_ range: UInt64, _ variant: Variant) -> (bits: Int, short: UInt64, first: UInt64) {
    let bits = 63 - range.leadingZeroBitCount
    let short = (2 << UInt64(bits)) &- range
    let first = variant == .centre ? (range &- short) >> 1 : range &- (short >> 1)
    return (bits, short, first)
  }
}

/// Decodes complete runs into memory.
struct InterpolativeDecoder {
  var input: BitReader
  let variant: Interpolative.Variant

  @inline(__always)
  mutating func value(_ range: UInt64) -> UInt64 {
    guard range > 1 else { return 0 }
    let (bits, short, first) = Interpolative.shape(range, variant)
    let window = input.window()
    let head = window >> UInt64(64 - bits)
    let whole = window >> UInt64(63 - bits)
    let isLong = head >= short
    input.position &+= isLong ? bits &+ 1 : bits
    let value = (isLong ? whole &- short : head) &+ first
    return value >= range ? value &- range : value
  }

  /// Writes `count` ascending values within `low...high` to `output`, which must have room for them.
  ///
  /// The caller has checked that `high - low + 1 >= count`. The depth is log2 of `count`.
  mutating func decode(_ output: UnsafeMutablePointer<Int64>, _ count: Int, _ low: Int64, _ high: Int64) {
    if count == 1 {
      output[0] = low &+ Int64(bitPattern: value(UInt64(bitPattern: high &- low &+ 1)))
      return
    }
    guard count > 0 else { return }
    if high &- low &+ 1 == Int64(count) {
      for index in 0..<count { output[index] = low &+ Int64(index) }
      return
    }
    let (left, base, range) = Interpolative.middle(count, low, high)
    let middle = base &+ Int64(bitPattern: value(range))
    output[left] = middle
    decode(output, left, low, middle &- 1)
    decode(output + (left + 1), count &- left &- 1, middle &+ 1, high)
  }
}

extension Interpolative {
  /// Appends `values`, ascending within `low...high`, to `output`.
  package static func encode(
    _ values: UnsafeBufferPointer<Int64>, _ low: Int64, _ high: Int64, _ variant: Variant, into output: inout BitWriter
  ) {
    guard let start = values.baseAddress else { return }
    encode(start, values.count, low, high, variant, &output)
  }

  private static func encode(
    _ values: UnsafePointer<Int64>, _ count: Int, _ low: Int64, _ high: Int64, _ variant: Variant,
    _ output: inout BitWriter
  ) {
    guard count > 0, high &- low &+ 1 != Int64(count) else { return }
    let (left, base, range) = middle(count, low, high)
    let middle = values[left]
    if range > 1 {
      let (bits, short, first) = shape(range, variant)
      let value = UInt64(bitPattern: middle &- base)
      let code = value >= first ? value &- first : value &+ range &- first
      if code < short {
        output.append(code, count: bits)
      } else {
        output.append(code &+ short, count: bits + 1)
      }
    }
    encode(values, left, low, middle &- 1, variant, &output)
    encode(values + (left + 1), count &- left &- 1, middle &+ 1, high, variant, &output)
  }
}

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
