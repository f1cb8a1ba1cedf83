// SPDX-License-Identifier: Apache-2.0

/// PhoneBlock's binary list, version 1: a header of 16 bytes, then records of 8 bytes in ascending order, little-endian.
///
/// A record is a key × 256 + 1. The key has 16 digits in base 11, the number's first digit first: a digit is one more than
/// its value, and 0 comes after the last one. So keys ascend as texts do, and the records of a list are sorted in memory.
struct PBBLEncoding: RecordEncoding {
  private let includesIdentified: Bool
  private var records: [UInt64] = []

  init(options: ExportOptions) {
    includesIdentified = options.includesIdentified
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || includesIdentified else { return .notBlocking }
    records.append(Self.key(entry.number) << 8 | 1)
    return .written
  }

  mutating func end(into bytes: inout [UInt8]) {
    records.sort()
    bytes.append("PBBL")
    bytes.append(littleEndian: UInt16(1))
    // There are no prefixes: no length of any.
    bytes.append(littleEndian: UInt16(0))
    bytes.append(littleEndian: UInt32(records.count))
    bytes.append(littleEndian: UInt32(0))
    bytes.reserveCapacity(bytes.count + 8 * records.count)
    for record in records { bytes.append(littleEndian: record) }
  }

  static func key(_ number: Int64) -> UInt64 {
    let digits = String(number).utf8
    var key: UInt64 = 0
    for digit in digits { key = key * 11 + UInt64(digit - UInt8(ascii: "0")) + 1 }
    for _ in digits.count..<16 { key *= 11 }
    return key
  }
}
