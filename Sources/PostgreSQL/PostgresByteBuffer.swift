// SPDX-License-Identifier: Apache-2.0

/// Bytes to be sent to the server, integers in network byte order.
public struct PostgresByteBuffer: Sendable {
  var bytes: [UInt8] = []
  var failure: String?

  init() {}

  /// Appends an integer, most significant byte first.
  public mutating func append<I: FixedWidthInteger>(integer: I) {
    withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes as they are.
  public mutating func append(contentsOf other: some Sequence<UInt8>) {
    bytes.append(contentsOf: other)
  }

  /// Records that a value cannot be sent; the statement then throws `PostgresError.Kind.encoding`.
  ///
  /// - Parameter reason: Shown to users: it must not contain the value.
  public mutating func fail(_ reason: String) {
    if failure == nil { failure = reason }
  }

  /// Appends a length, then what `body` writes, and patches the length.
  mutating func appendWithLength(_ body: (inout PostgresByteBuffer) -> Void) {
    let start = bytes.count
    append(integer: Int32(0))
    body(&self)
    patch(Int32(truncatingIfNeeded: bytes.count - start - 4), at: start)
  }

  mutating func patch<I: FixedWidthInteger>(_ integer: I, at offset: Int) {
    withUnsafeBytes(of: integer.bigEndian) { source in
      bytes.withUnsafeMutableBytes { target in
        UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + source.count]).copyMemory(from: source)
      }
    }
  }
}
