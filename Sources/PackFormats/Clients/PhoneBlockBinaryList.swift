// SPDX-License-Identifier: Apache-2.0

/// PhoneBlock's binary list, version 1: a header of 16 bytes, then records of 8 bytes in ascending order, little-endian.
///
/// A record is a key × 256 + 1 to block, + 0 to allow. The key has 16 digits in base 11, the number's first digit first: a
/// digit is one more than its value, and 0 comes after the last one. So keys ascend as texts do. Records of complete numbers
/// come first, then those of prefixes, whose lengths are the bits of a field of the header.
public struct PhoneBlockBinaryList: Sendable {
  private var numbers: [UInt64] = []
  private var prefixes: [UInt64] = []
  private var lengths: UInt16 = 0

  /// An empty list.
  public init() {}

  /// Bytes of an empty list.
  public static let headerSize = 16
  /// Bytes of a record.
  public static let recordSize = 8

  /// Adds a number, each once.
  public mutating func append(_ number: Int64, blocks: Bool = true) {
    numbers.append(Self.key(number) << 8 | (blocks ? 1 : 0))
  }

  /// Adds the beginning of numbers, at most 15 digits, each once.
  public mutating func append(prefix: Int64, blocks: Bool = true) {
    prefixes.append(Self.key(prefix) << 8 | (blocks ? 1 : 0))
    lengths |= 1 << UInt16(min(String(prefix).utf8.count, 15))
  }

  /// Appends the complete list.
  public func encode(into bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + Self.headerSize + Self.recordSize * (numbers.count + prefixes.count))
    bytes.append("PBBL")
    bytes.append(littleEndian: UInt16(1))
    bytes.append(littleEndian: lengths)
    bytes.append(littleEndian: UInt32(numbers.count))
    bytes.append(littleEndian: UInt32(prefixes.count))
    for record in numbers.sorted() + prefixes.sorted() { bytes.append(littleEndian: record) }
  }

  static func key(_ number: Int64) -> UInt64 {
    let digits = String(number).utf8
    var key: UInt64 = 0
    for digit in digits { key = key * 11 + UInt64(digit - UInt8(ascii: "0")) + 1 }
    for _ in digits.count..<16 { key *= 11 }
    return key
  }
}

/// PhoneBlock's binary list without prefixes. Its records are sorted in memory.
struct PhoneBlockBinaryFormat: RecordEncoding {
  private let includesIdentified: Bool
  private var file = PhoneBlockBinaryList()

  init(options: ExportOptions) {
    includesIdentified = options.includesIdentified
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || includesIdentified else { return .notBlocking }
    file.append(entry.number)
    return .written
  }

  func end(into bytes: inout [UInt8]) { file.encode(into: &bytes) }
}
