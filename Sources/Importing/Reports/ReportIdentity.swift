// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// Creates ids for rows without one, so that the same row has the same id in every run.
///
/// An id is derived from the source's name, the row's content and the number of rows with this content before it in the
/// file. A file with all rows of an earlier one and more, in any order, therefore repeats the earlier ids and adds new
/// ones.
///
/// Memory: a table of 64-bit prefixes at most three quarters full, 11 to 22 bytes for each distinct row and half as
/// much again while it grows, and about 32 bytes for each content that occurs more than once.
struct ReportIdentity {
  private var slots: [UInt64] = Array(repeating: 0, count: 1 << 12)
  private var used = 0
  private var repeated: [UInt64: UInt64] = [:]

  /// The id of the file's next row with this content.
  mutating func next(_ digest: ContentDigest) -> UUID {
    // 0 marks a free slot.
    let key = digest.low == 0 ? 1 : digest.low
    if insert(key) { return digest.reportID(ordinal: 0) }
    let ordinal = repeated[key, default: 0] + 1
    repeated[key] = ordinal
    return digest.reportID(ordinal: ordinal)
  }

  /// Whether the key was new.
  private mutating func insert(_ key: UInt64) -> Bool {
    if used * 4 >= slots.count * 3 { grow() }
    guard Self.insert(key, into: &slots) else { return false }
    used += 1
    return true
  }

  private mutating func grow() {
    var larger = [UInt64](repeating: 0, count: slots.count * 2)
    for key in slots where key != 0 { _ = Self.insert(key, into: &larger) }
    slots = larger
  }

  /// The keys are bits of a SHA-256, so their low bits are evenly distributed.
  private static func insert(_ key: UInt64, into slots: inout [UInt64]) -> Bool {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: key) & mask
    while slots[index] != 0 {
      if slots[index] == key { return false }
      index = (index + 1) & mask
    }
    slots[index] = key
    return true
  }
}

/// The first 128 bits of a SHA-256 over a row's content.
struct ContentDigest: Sendable, Hashable {
  var high: UInt64
  var low: UInt64

  /// Hashes the bytes.
  init(_ bytes: [UInt8]) {
    let digest = bytes.withUnsafeBytes { SHA256.hash(data: $0) }
    (high, low) = digest.withUnsafeBytes {
      (
        UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  /// The id of the `ordinal`-th row, from 0, with this content: a UUID of version 8 (RFC 9562) of the digest itself for
  /// 0, else of SHA-256 over the digest and the ordinal, 64 bits each, big-endian.
  func reportID(ordinal: UInt64) -> UUID {
    guard ordinal > 0 else { return uuid }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    for word in [high, low, ordinal] { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
    return ContentDigest(bytes).uuid
  }

  private var uuid: UUID {
    let first = (high & ~0xF000 | 0x8000).bigEndian
    let second = (low & ~(0b11 << 62) | 0b10 << 62).bigEndian
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &value) {
      $0.storeBytes(of: first, toByteOffset: 0, as: UInt64.self)
      $0.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
    }
    return UUID(uuid: value)
  }
}

/// Collects the identity of a row: the source's name and the row's fields, each after its length.
///
/// The lengths, 32 bits little-endian, distinguish `ab|c` from `a|bc`. Quoting, line ends and the position in the file
/// are not part of it.
struct IdentityBuilder {
  private let prefix: [UInt8]
  private var bytes: [UInt8] = []

  init(source: String) {
    var prefix: [UInt8] = []
    Self.append(source.utf8, to: &prefix)
    self.prefix = prefix
  }

  mutating func start() { bytes.replaceSubrange(0..<bytes.count, with: prefix) }

  mutating func add(_ field: some Collection<UInt8>) { Self.append(field, to: &bytes) }

  func digest() -> ContentDigest { ContentDigest(bytes) }

  private static func append(_ field: some Collection<UInt8>, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: field.count).littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: field)
  }
}
