// SPDX-License-Identifier: Apache-2.0

import CZlib

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

/// Reads little-endian integers at given offsets of an array.
struct LittleEndian {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func u8(_ at: Int) -> UInt8 { bytes[at] }
  func u16(_ at: Int) -> UInt16 { UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8 }
  func u32(_ at: Int) -> UInt32 { UInt32(u16(at)) | UInt32(u16(at + 2)) << 16 }
  func u64(_ at: Int) -> UInt64 { UInt64(u32(at)) | UInt64(u32(at + 4)) << 32 }
  func int(_ at: Int) -> Int { Int(u32(at)) }
}

extension [UInt8] {
  /// Appends `value` as `count` bytes, the least significant first.
  package mutating func appendLittleEndian(_ value: UInt64, _ count: Int) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }
}

/// Returns the CRC-32 of zlib, PNG and gzip.
package func checksum(_ bytes: [UInt8]) -> UInt32 {
  bytes.withUnsafeBytes { checksum($0) }
}

/// Returns the CRC-32 of zlib, PNG and gzip, continued from `sum`.
package func checksum(_ bytes: UnsafeRawBufferPointer, after sum: UInt32 = 0) -> UInt32 {
  guard let base = bytes.baseAddress, bytes.count > 0 else { return sum }
  return UInt32(truncatingIfNeeded: crc32_z(UInt(sum), base.assumingMemoryBound(to: UInt8.self), bytes.count))
}
