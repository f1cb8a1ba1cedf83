// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// A SHA-256 digest: 32 bytes.
public struct PackDigest: Sendable, Hashable, CustomStringConvertible {
  /// The 32 bytes of the digest.
  public let bytes: [UInt8]

  /// Creates a digest from exactly 32 bytes; `nil` for any other count.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    self.bytes = Array(bytes)
  }

  /// Creates a digest from 64 hexadecimal digits of either case; `nil` for anything else.
  public init?(hex: some StringProtocol) {
    let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
    guard digits.count == 64, hex.utf8.count == 64 else { return nil }
    bytes = (0..<32).map { index -> UInt8 in digits[2 * index] << 4 | digits[2 * index + 1] }
  }

  /// The digest as 64 lower-case hexadecimal digits.
  public var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The digest as 64 lower-case hexadecimal digits.
  public var description: String { hex }

  /// Computes the digest of bytes in memory.
  public static func of(_ bytes: [UInt8]) -> PackDigest {
    PackDigest(unchecked: Array(SHA256.hash(data: bytes)))
  }

  /// Computes the digest of a file, which is read in pieces of 256 KB.
  /// - Parameter path: the file.
  /// - Throws: ``PackError`` with `inputOutput`.
  public static func ofFile(_ path: String) throws(PackError) -> PackDigest {
    try PackSource.open(path: path).digest()
  }

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

extension PackSource {
  /// Computes the digest of all bytes of the source.
  func digest() throws(PackError) -> PackDigest {
    var hasher = SHA256()
    let piece = 256 << 10
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Swift.min(piece, Swift.max(count, 1)), alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while offset < count {
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<Swift.min(buffer.count, count - offset)])
      try read(at: offset, into: part)
      hasher.update(bufferPointer: UnsafeRawBufferPointer(part))
      offset += part.count
    }
    return PackDigest(unchecked: Array(hasher.finalize()))
  }
}

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
