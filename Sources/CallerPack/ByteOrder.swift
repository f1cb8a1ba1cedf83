// SPDX-License-Identifier: Apache-2.0

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
