// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Bool: PostgresScalar {
  /// `boolean`.
  public static var postgresType: PostgresType { .bool }
  /// `boolean[]`.
  public static var postgresArrayType: PostgresType { .boolArray }
  /// Writes one byte.
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: self ? UInt8(1) : 0) }
  /// Reads one byte.
  public init?(postgresValue: PostgresValue) {
    guard postgresValue.isOne(of: .bool), let byte: UInt8 = postgresValue.integer() else { return nil }
    self = byte != 0
  }
}

extension Float: PostgresScalar {
  /// `real`.
  public static var postgresType: PostgresType { .float4 }
  /// `real[]`.
  public static var postgresArrayType: PostgresType { .float4Array }
  /// Writes the four bytes of IEEE 754.
  public func encode(into buffer: inout PostgresByteBuffer) { buffer.append(integer: bitPattern) }
  /// Reads the four bytes of IEEE 754.
  public init?(postgresValue: PostgresValue) {
    guard postgresValue.isOne(of: .float4), let bits: UInt32 = postgresValue.integer() else { return nil }
    self.init(bitPattern: bits)
  }
}

extension Double: PostgresScalar {
  /// `double precision`.
  public static var postgresType: PostgresType { .float8 }
  /// `double precision[]`.
  public static var postgresArrayType: PostgresType { .float8Array }
  /// Writes the eight bytes of IEEE 754.
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
  /// `text`.
  public static var postgresType: PostgresType { .text }
  /// `text[]`.
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
    case .text, .varchar, .bpchar, .name, .char, .json, .xml, .unknownLiteral, .unknown: break
    case .jsonb:
      guard bytes.first == 1 else { return nil }
      bytes = bytes.dropFirst()
    default: guard type.rawValue >= PostgresType.firstUserDefined else { return nil }
    }
    self.init(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
  }
}

extension UUID: PostgresScalar {
  /// `uuid`.
  public static var postgresType: PostgresType { .uuid }
  /// `uuid[]`.
  public static var postgresArrayType: PostgresType { .uuidArray }
  /// Writes sixteen bytes.
  public func encode(into buffer: inout PostgresByteBuffer) {
    withUnsafeBytes(of: uuid) { buffer.bytes.append(contentsOf: $0) }
  }
  /// Reads sixteen bytes.
  public init?(postgresValue: PostgresValue) {
    guard postgresValue.isOne(of: .uuid), postgresValue.bytes.count == 16 else { return nil }
    self.init(uuid: postgresValue.bytes.loadUnaligned(as: uuid_t.self))
  }
}
