// SPDX-License-Identifier: Apache-2.0

/// A Swift type that can be bound to a placeholder, in the server's binary format.
public protocol PostgresEncodable: PostgresBindable {
  /// The type of the placeholder.
  static var postgresType: PostgresType { get }

  /// Writes the value, without its length.
  func encode(into buffer: inout PostgresByteBuffer)
}

/// A Swift type that can be read from a column, in the server's binary format.
public protocol PostgresDecodable: Sendable {
  /// The name of the SQL types it reads, for messages.
  static var postgresExpectation: String { get }

  /// Reads a value, or returns nil when the bytes are of another type.
  init?(postgresValue: PostgresValue)
}

/// A type of a single column that can also be an array element.
public protocol PostgresScalar: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
  /// The type of an array of it.
  static var postgresArrayType: PostgresType { get }
}

/// A type whose arrays can be bound and read: scalars, their optionals, and bytes (whose array is `bytea`).
public protocol PostgresArrayElement: Sendable {
  /// The type of an array.
  static var postgresTypeOfArray: PostgresType { get }

  /// Writes an array, without its length.
  static func encodeArray(_ values: [Self], into buffer: inout PostgresByteBuffer)

  /// Reads an array, or returns nil when the bytes are of another type.
  static func decodeArray(_ value: PostgresValue) -> [Self]?
}

extension PostgresDecodable where Self: PostgresEncodable {
  /// The name of the type it writes.
  public static var postgresExpectation: String { postgresType.description }
}

/// The bytes of one column, valid only while `init?(postgresValue:)` runs.
public struct PostgresValue {
  /// The bytes, in the server's binary format.
  public let bytes: UnsafeRawBufferPointer
  /// The type of the column; `PostgresType(rawValue: 0)` in binary COPY, which has no types.
  public let type: PostgresType

  /// Reads an integer, most significant byte first, when the column has exactly its width.
  public func integer<I: FixedWidthInteger>(as: I.Type = I.self) -> I? {
    guard bytes.count == MemoryLayout<I>.size else { return nil }
    return I(bigEndian: bytes.loadUnaligned(as: I.self))
  }

  /// Whether the column's type is one of `types`, or unknown.
  public func isOne(of types: PostgresType...) -> Bool {
    type == .unknown || types.contains(type)
  }
}
