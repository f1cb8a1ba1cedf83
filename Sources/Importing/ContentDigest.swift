// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

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
