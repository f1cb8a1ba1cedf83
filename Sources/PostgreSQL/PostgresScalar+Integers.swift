// SPDX-License-Identifier: Apache-2.0

extension PostgresValue {
  /// An integer of any width that fits.
  func widenedInteger<I: FixedWidthInteger>() -> I? {
    switch bytes.count {
    case 2 where type == .int2 || type == .unknown: return integer(as: Int16.self).flatMap { I(exactly: $0) }
    case 4 where type == .int4 || type == .unknown: return integer(as: Int32.self).flatMap { I(exactly: $0) }
    case 4 where type == .oid: return integer(as: UInt32.self).flatMap { I(exactly: $0) }
    case 8 where type == .int8 || type == .unknown: return integer(as: Int64.self).flatMap { I(exactly: $0) }
    default: return nil
    }
  }
}

extension Int16: PostgresScalar {
  /// `smallint`.
  public static var postgresType: PostgresType { .int2 }
  /// `smallint[]`.
  public static var postgresArrayType: PostgresType { .int2Array }
  /// Writes two bytes.
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: self) }
  /// Reads an integer that fits.
  public init?(postgresValue: PostgresValue) {
    guard let value: Int16 = postgresValue.widenedInteger() else { return nil }
    self = value
  }
}

extension Int32: PostgresScalar {
  /// `integer`.
  public static var postgresType: PostgresType { .int4 }
  /// `integer[]`.
  public static var postgresArrayType: PostgresType { .int4Array }
  /// Writes four bytes.
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: self) }
  /// Reads an integer that fits.
  public init?(postgresValue: PostgresValue) {
    guard let value: Int32 = postgresValue.widenedInteger() else { return nil }
    self = value
  }
}

extension Int64: PostgresScalar {
  /// `bigint`.
  public static var postgresType: PostgresType { .int8 }
  /// `bigint[]`.
  public static var postgresArrayType: PostgresType { .int8Array }
  /// Writes eight bytes.
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: self) }
  /// Reads an integer of any width.
  public init?(postgresValue: PostgresValue) {
    guard let value: Int64 = postgresValue.widenedInteger() else { return nil }
    self = value
  }
}

extension Int: PostgresScalar {
  /// `bigint`.
  public static var postgresType: PostgresType { .int8 }
  /// `bigint[]`.
  public static var postgresArrayType: PostgresType { .int8Array }
  /// Writes eight bytes.
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: Int64(self)) }
  /// Reads an integer of any width.
  public init?(postgresValue: PostgresValue) {
    guard let value: Int = postgresValue.widenedInteger() else { return nil }
    self = value
  }
}
