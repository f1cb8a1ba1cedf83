// SPDX-License-Identifier: Apache-2.0

/// Reads bits, most significant first, from memory that the caller owns.
///
/// Loads eight bytes at a time and never reads outside the memory. Reading past the end gives meaningless bits, so
/// callers check ``isOverrun`` once a column (numbers) or once an entry (labels).
package struct BitReader {
  private let base: UnsafeRawPointer
  private let lastLoad: Int
  /// Bits read so far, from the start of the memory.
  package var position: Int
  /// The position after the last bit.
  package let end: Int

  /// Bytes that must follow the last byte of a column, with any value, so that eight-byte loads stay inside the memory.
  package static let padding = 8

  /// Creates a reader of the bytes `from..<to` of `memory`, which has at least ``padding`` bytes after `to`.
  package init(_ memory: UnsafeRawBufferPointer, from: Int, to: Int) {
    precondition(from >= 0 && from <= to && to <= memory.count - Self.padding)
    base = memory.baseAddress!
    lastLoad = memory.count - 8
    position = from << 3
    end = to << 3
  }

  /// Whether more bits were read than the column has.
  package var isOverrun: Bool { position > end }

  /// Returns the next 57 bits or more, at the top of the word, without moving on.
  @inline(__always) package func window() -> UInt64 {
    let byte = min(position >> 3, lastLoad)
    return UInt64(bigEndian: base.loadUnaligned(fromByteOffset: byte, as: UInt64.self)) << UInt64(position & 7)
  }

  /// Reads the next `count` bits, 1 to 57, as an integer.
  @inline(__always) package mutating func bits(_ count: Int) -> UInt64 {
    let value = window() >> UInt64(64 - count)
    position &+= count
    return value
  }
}
