// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

extension PackReader {
  /// Computes the SHA-256 of the entries. Packs with the same entries have the same digest, independent of their
  /// coding.
  ///
  /// For each entry in ascending order, the digest covers the number as 8 bytes, little-endian; the roles as one byte
  /// (bit 0 blocks, bit 1 identifies); the length of the label in bytes as 2 bytes, little-endian, 0 for none; and the
  /// label's UTF-8.
  /// - Throws: ``PackError`` when a block cannot be read.
  public func contentDigest() throws(PackError) -> PackDigest {
    var hasher = SHA256()
    var buffer: [UInt8] = []
    let piece = 64 << 10
    buffer.reserveCapacity(piece + PackLimits.labelBytes + 16)
    let cursor = try makeCursor()
    while try cursor.next() {
      var number = UInt64(bitPattern: cursor.number).littleEndian
      withUnsafeBytes(of: &number) { buffer.append(contentsOf: $0) }
      buffer.append(cursor.roles.rawValue)
      cursor.withLabel { label in
        buffer.append(UInt8(truncatingIfNeeded: label.count))
        buffer.append(UInt8(truncatingIfNeeded: label.count >> 8))
        buffer.append(contentsOf: label)
      }
      if buffer.count >= piece {
        buffer.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        buffer.removeAll(keepingCapacity: true)
      }
    }
    buffer.withUnsafeBytes { hasher.update(bufferPointer: $0) }
    return PackDigest(unchecked: Array(hasher.finalize()))
  }
}
