// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A row for a binary COPY.
public protocol PostgresCopyRow: Sendable {
  /// Appends every column of the COPY, in its order and with its exact type: COPY does not cast.
  func encode(into tuple: inout PostgresCopyTuple)
}

/// The columns of one row of a binary COPY.
public struct PostgresCopyTuple: Sendable {
  var buffer: PostgresByteBuffer
  var count: Int16 = 0
  var failedColumn: Int16?

  public mutating func append<T: PostgresEncodable>(_ value: T) {
    count += 1
    buffer.appendWithLength { value.encode(into: &$0) }
    if buffer.failure != nil, failedColumn == nil { failedColumn = count }
  }

  /// Appends a column, NULL when there is no value.
  public mutating func append<T: PostgresEncodable>(_ value: T?) {
    if let value {
      append(value)
    } else {
      count += 1
      buffer.append(integer: Int32(-1))
    }
  }

  /// Appends a `bigint`.
  public mutating func append(_ value: Int64) { appendInteger(value) }
  /// Appends an `integer`.
  public mutating func append(_ value: Int32) { appendInteger(value) }
  /// Appends a `smallint`.
  public mutating func append(_ value: Int16) { appendInteger(value) }
  /// Appends a `double precision`.
  public mutating func append(_ value: Double) { appendInteger(value.bitPattern) }

  /// Appends a `text` from memory: UTF-8, which the server checks.
  public mutating func append(text: UnsafeRawBufferPointer) {
    count += 1
    buffer.append(integer: Int32(truncatingIfNeeded: text.count))
    buffer.append(contentsOf: text)
  }

  private mutating func appendInteger<I: FixedWidthInteger>(_ value: I) {
    count += 1
    buffer.append(integer: Int32(MemoryLayout<I>.size))
    buffer.append(integer: value)
  }
}

/// Rows of a binary COPY that are encoded already, so that the sender only sends.
public struct PostgresCopyRows: Sendable {
  private var encoder: BinaryCopyEncoder

  /// - Parameter capacity: expected number of bytes.
  public init(capacity: Int = 0) {
    encoder = BinaryCopyEncoder(capacity: capacity)
  }

  var bytes: [UInt8] { encoder.bytes }

  /// - Parameter encode: appends every column of the COPY, in its order and with its exact type.
  /// - Throws: `PostgresError` for a value that cannot be sent.
  public mutating func append(encode: (inout PostgresCopyTuple) -> Void) throws {
    try encoder.append(encode: encode)
  }
}

/// The columns of one row of a binary COPY, to be read in order and as their exact types.
///
/// For millions of rows: no lookups and no allocations.
public struct PostgresTuple: ~Copyable {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset: Int
  private var isWhole = true

  init(bytes: UnsafeRawBufferPointer, offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Starts the next row.
  /// - Returns: false at the end of the chunk, or of the COPY.
  mutating func begin() -> Bool {
    read(Int16.self).map { $0 >= 0 } ?? false
  }

  /// Whether all columns read so far existed with the expected length.
  var isReadable: Bool { isWhole }

  /// A `smallint`; nil for NULL.
  public mutating func int16() -> Int16? { column(Int16.self) }
  /// An `integer`; nil for NULL.
  public mutating func int32() -> Int32? { column(Int32.self) }
  /// A `bigint`; nil for NULL.
  public mutating func int64() -> Int64? { column(Int64.self) }
  /// A `double precision`; nil for NULL.
  public mutating func double() -> Double? { column(UInt64.self).map { Double(bitPattern: $0) } }
  /// A `boolean`; nil for NULL.
  public mutating func bool() -> Bool? { column(UInt8.self).map { $0 != 0 } }

  /// A `timestamptz`; nil for NULL.
  public mutating func timestamp() -> Date? { column(Int64.self).map { Date(postgresMicroseconds: $0) } }

  private mutating func column<I: FixedWidthInteger>(_: I.Type) -> I? {
    guard let length = read(Int32.self) else {
      isWhole = false
      return nil
    }
    guard length >= 0 else { return nil }
    guard Int(length) == MemoryLayout<I>.size, let value = read(I.self) else {
      isWhole = false
      return nil
    }
    return value
  }

  private mutating func read<I: FixedWidthInteger>(_: I.Type) -> I? {
    guard offset + MemoryLayout<I>.size <= bytes.count else { return nil }
    defer { offset += MemoryLayout<I>.size }
    return I(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: I.self))
  }
}
