// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The columns of one row of a binary COPY, to be read in order and as their exact types.
///
/// For millions of rows: no lookups and no allocations.
public struct PostgresTuple: ~Copyable {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset: Int
  private(set) var columnCount = 0
  private var isWhole = true

  init(bytes: UnsafeRawBufferPointer, offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Starts the next row.
  /// - Returns: false at the end of the chunk, or of the COPY.
  mutating func begin() -> Bool {
    guard let count = read(Int16.self), count >= 0 else { return false }
    columnCount = Int(count)
    return true
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
