// SPDX-License-Identifier: Apache-2.0

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

  /// Appends a column.
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
