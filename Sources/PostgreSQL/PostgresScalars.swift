// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension PostgresValue {
  /// An integer of any width that fits.
  func widenedInteger<I: FixedWidthInteger>() -> I? {
    switch bytes.count {
    case 2 where type == .int2: return integer(as: Int16.self).flatMap { I(exactly: $0) }
    case 4 where type == .int4: return integer(as: Int32.self).flatMap { I(exactly: $0) }
    case 4 where type == .oid: return integer(as: UInt32.self).flatMap { I(exactly: $0) }
    case 8 where type == .int8: return integer(as: Int64.self).flatMap { I(exactly: $0) }
    default: return nil
    }
  }
}

extension Int16: PostgresScalar {
  public static var postgresType: PostgresType { .int2 }
  public static var postgresArrayType: PostgresType { .int2Array }
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: self) }
  /// Reads an integer that fits.
  public init?(postgresValue: PostgresValue) {
    guard let value: Int16 = postgresValue.widenedInteger() else { return nil }
    self = value
  }
}

extension Int32: PostgresScalar {
  public static var postgresType: PostgresType { .int4 }
  public static var postgresArrayType: PostgresType { .int4Array }
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: self) }
  /// Reads an integer that fits.
  public init?(postgresValue: PostgresValue) {
    guard let value: Int32 = postgresValue.widenedInteger() else { return nil }
    self = value
  }
}

extension Int64: PostgresScalar {
  public static var postgresType: PostgresType { .int8 }
  public static var postgresArrayType: PostgresType { .int8Array }
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: self) }
  /// Reads an integer of any width.
  public init?(postgresValue: PostgresValue) {
    guard let value: Int64 = postgresValue.widenedInteger() else { return nil }
    self = value
  }
}

extension Int: PostgresScalar {
  public static var postgresType: PostgresType { .int8 }
  public static var postgresArrayType: PostgresType { .int8Array }
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: Int64(self)) }
  /// Reads an integer of any width.
  public init?(postgresValue: PostgresValue) {
    guard let value: Int = postgresValue.widenedInteger() else { return nil }
    self = value
  }
}

extension Bool: PostgresScalar {
  public static var postgresType: PostgresType { .bool }
  public static var postgresArrayType: PostgresType { .boolArray }
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: self ? UInt8(1) : 0) }
  public init?(postgresValue: PostgresValue) {
    guard postgresValue.isOne(of: .bool), let byte: UInt8 = postgresValue.integer() else { return nil }
    self = byte != 0
  }
}

extension Float: PostgresScalar {
  public static var postgresType: PostgresType { .float4 }
  public static var postgresArrayType: PostgresType { .float4Array }
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: bitPattern) }
  public init?(postgresValue: PostgresValue) {
    guard postgresValue.isOne(of: .float4), let bits: UInt32 = postgresValue.integer() else { return nil }
    self.init(bitPattern: bits)
  }
}

extension Double: PostgresScalar {
  public static var postgresType: PostgresType { .float8 }
  public static var postgresArrayType: PostgresType { .float8Array }
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: bitPattern) }
  /// Reads `double precision` or `real`.
  public init?(postgresValue: PostgresValue) {
    if postgresValue.isOne(of: .float8), let bits: UInt64 = postgresValue.integer() {
      self.init(bitPattern: bits)
    } else if let single = Float(postgresValue: postgresValue) {
      self.init(single)
    } else {
      return nil
    }
  }
}

extension String: PostgresScalar {
  public static var postgresType: PostgresType { .text }
  public static var postgresArrayType: PostgresType { .textArray }
  /// Writes UTF-8. PostgreSQL has no NUL in text: such a value fails.
  public func encode(into buffer: inout PostgresByteBuffer) {
    let start = buffer.bytes.count
    buffer.bytes.append(contentsOf: utf8)
    if buffer.bytes[start...].contains(0) { buffer.fail("text must not hold a NUL character") }
  }
  /// Reads text, JSON, and enumerations.
  public init?(postgresValue: PostgresValue) {
    let type = postgresValue.type
    var bytes = postgresValue.bytes[...]
    switch type {
    case .text, .varchar, .bpchar, .name, .char, .json, .xml, .unknownLiteral: break
    case .jsonb:
      guard bytes.first == 1 else { return nil }
      bytes = bytes.dropFirst()
    default: guard type.rawValue >= PostgresType.firstUserDefined else { return nil }
    }
    self.init(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
  }
}

extension UUID: PostgresScalar {
  public static var postgresType: PostgresType { .uuid }
  public static var postgresArrayType: PostgresType { .uuidArray }
  public func encode(into buffer: inout PostgresByteBuffer) {
    withUnsafeBytes(of: uuid) { buffer.bytes.append(contentsOf: $0) }
  }
  public init?(postgresValue: PostgresValue) {
    guard postgresValue.isOne(of: .uuid), postgresValue.bytes.count == 16 else { return nil }
    self.init(uuid: postgresValue.bytes.loadUnaligned(as: uuid_t.self))
  }
}

/// `timestamptz` is a count of microseconds since 2000-01-01 00:00 UTC; ±infinity are the ends of Int64.
extension Date: PostgresScalar {
  public static var postgresType: PostgresType { .timestamptz }
  public static var postgresArrayType: PostgresType { .timestamptzArray }

  /// Seconds from PostgreSQL's epoch (2000) to the epoch of `Date` (2001).
  private static let epochDistance: Int64 = 31_622_400

  /// Writes microseconds, rounded to the nearest; infinite dates are `infinity`.
  public func encode(into buffer: inout PostgresByteBuffer) {
    let seconds = timeIntervalSinceReferenceDate
    if seconds == .infinity { return buffer.append(integer: Int64.max) }
    if seconds == -.infinity { return buffer.append(integer: Int64.min) }
    guard abs(seconds) < 9_000_000_000_000 else {
      buffer.fail("the date is out of range")
      return buffer.append(integer: Int64(0))
    }
    let whole = seconds.rounded(.down)
    let microseconds = ((seconds - whole) * 1_000_000).rounded()
    buffer.append(integer: (Int64(whole) + Self.epochDistance) * 1_000_000 + Int64(microseconds))
  }

  /// Reads `timestamptz`, or `timestamp` as UTC.
  public init?(postgresValue: PostgresValue) {
    guard postgresValue.isOne(of: .timestamptz, .timestamp), let count: Int64 = postgresValue.integer() else {
      return nil
    }
    self.init(postgresMicroseconds: count)
  }

  /// A `timestamptz` as it is sent.
  init(postgresMicroseconds count: Int64) {
    switch count {
    case .max: self.init(timeIntervalSinceReferenceDate: .infinity)
    case .min: self.init(timeIntervalSinceReferenceDate: -.infinity)
    default:
      let shifted = count - Self.epochDistance * 1_000_000
      let (whole, fraction) = shifted.quotientAndRemainder(dividingBy: 1_000_000)
      self.init(timeIntervalSinceReferenceDate: Double(whole) + Double(fraction) / 1_000_000)
    }
  }
}

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
  public static var postgresType: PostgresType { RawValue.postgresType }
  public func encode(into buffer: inout PostgresByteBuffer) { rawValue.encode(into: &buffer) }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
  public static var postgresExpectation: String { RawValue.postgresExpectation }
  public init?(postgresValue: PostgresValue) {
    guard let raw = RawValue(postgresValue: postgresValue) else { return nil }
    self.init(rawValue: raw)
  }
}

extension PostgresDecodable where Self: RawRepresentable & PostgresEncodable, RawValue: PostgresDecodable {
  public static var postgresExpectation: String { RawValue.postgresExpectation }
}

extension PostgresScalar where Self: RawRepresentable, RawValue: PostgresScalar {
  public static var postgresArrayType: PostgresType { RawValue.postgresArrayType }
}
