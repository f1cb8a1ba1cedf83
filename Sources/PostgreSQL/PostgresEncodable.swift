// SPDX-License-Identifier: Apache-2.0

/// A Swift type that can be bound to a placeholder, in the server's binary format.
public protocol PostgresEncodable: PostgresBindable {
  /// The type of the placeholder.
  static var postgresType: PostgresType { get }

  /// Writes the value, without its length.
  func encode(into buffer: inout PostgresByteBuffer)
}

/// A Swift type of a column, which may be optional.
public protocol PostgresColumn: Sendable {
  /// - Throws: `PostgresError` of kind `decoding`.
  static func read(_ column: Int, of row: PostgresRow) throws -> Self
}

extension Optional: PostgresColumn where Wrapped: PostgresDecodable {
  public static func read(_ column: Int, of row: PostgresRow) throws -> Self { try row.decode(column) }
}

extension PostgresDecodable {
  public static func read(_ column: Int, of row: PostgresRow) throws -> Self { try row.decode(column) }
}

/// A Swift type that can be read from a column, in the server's binary format.
public protocol PostgresDecodable: PostgresColumn {
  /// The name of the SQL types it reads, for messages.
  static var postgresExpectation: String { get }

  /// Reads a value, or returns nil when the bytes are of another type.
  init?(postgresValue: PostgresValue)
}

/// A type of a single column that can also be an array element.
public protocol PostgresScalar: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
  static var postgresArrayType: PostgresType { get }
}

/// A type whose arrays can be bound and read: scalars, their optionals, and bytes (whose array is `bytea`).
public protocol PostgresArrayElement: Sendable {
  static var postgresTypeOfArray: PostgresType { get }

  /// Writes an array, without its length.
  static func encodeArray(_ values: [Self], into buffer: inout PostgresByteBuffer)

  /// Reads an array, or returns nil when the bytes are of another type.
  static func decodeArray(_ value: PostgresValue) -> [Self]?
}

extension PostgresDecodable where Self: PostgresEncodable {
  public static var postgresExpectation: String { postgresType.description }
}

/// The bytes of one column, valid only while `init?(postgresValue:)` runs.
public struct PostgresValue {
  /// The bytes, in the server's binary format.
  public let bytes: UnsafeRawBufferPointer
  public let type: PostgresType

  /// Reads an integer, most significant byte first, when the column has exactly its width.
  public func integer<I: FixedWidthInteger>(as: I.Type = I.self) -> I? {
    guard bytes.count == MemoryLayout<I>.size else { return nil }
    return I(bigEndian: bytes.loadUnaligned(as: I.self))
  }

  func isOne(of types: PostgresType...) -> Bool { types.contains(type) }
}

/// Bytes to be sent to the server, integers in network byte order.
public struct PostgresByteBuffer: Sendable {
  var bytes: [UInt8] = []
  var failure: String?

  init() {}

  /// Appends an integer, most significant byte first.
  public mutating func append<I: FixedWidthInteger>(integer: I) {
    withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
  }

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

/// A PostgreSQL data type, by its object identifier.
public struct PostgresType: RawRepresentable, Hashable, Sendable {
  /// The object identifier in `pg_type`.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let bool = PostgresType(rawValue: 16)
  static let bytea = PostgresType(rawValue: 17)
  static let char = PostgresType(rawValue: 18)
  static let name = PostgresType(rawValue: 19)
  static let int8 = PostgresType(rawValue: 20)
  static let int2 = PostgresType(rawValue: 21)
  static let int4 = PostgresType(rawValue: 23)
  static let text = PostgresType(rawValue: 25)
  static let oid = PostgresType(rawValue: 26)
  static let json = PostgresType(rawValue: 114)
  static let xml = PostgresType(rawValue: 142)
  static let float4 = PostgresType(rawValue: 700)
  static let float8 = PostgresType(rawValue: 701)
  static let unknownLiteral = PostgresType(rawValue: 705)
  static let boolArray = PostgresType(rawValue: 1000)
  static let byteaArray = PostgresType(rawValue: 1001)
  static let int2Array = PostgresType(rawValue: 1005)
  static let int4Array = PostgresType(rawValue: 1007)
  static let textArray = PostgresType(rawValue: 1009)
  static let int8Array = PostgresType(rawValue: 1016)
  static let float4Array = PostgresType(rawValue: 1021)
  static let float8Array = PostgresType(rawValue: 1022)
  static let bpchar = PostgresType(rawValue: 1042)
  static let varchar = PostgresType(rawValue: 1043)
  static let timestamp = PostgresType(rawValue: 1114)
  static let timestamptz = PostgresType(rawValue: 1184)
  static let timestamptzArray = PostgresType(rawValue: 1185)
  static let numeric = PostgresType(rawValue: 1700)
  static let void = PostgresType(rawValue: 2278)
  static let uuid = PostgresType(rawValue: 2950)
  static let uuidArray = PostgresType(rawValue: 2951)
  static let jsonb = PostgresType(rawValue: 3802)

  /// The first identifier given to types that a user defines: such as enumerations and domains.
  static let firstUserDefined: UInt32 = 16_384
}

extension PostgresType: CustomStringConvertible {
  private static let names: [PostgresType: String] = [
    .bool: "boolean", .bytea: "bytea", .char: "\"char\"", .name: "name", .int8: "bigint", .int2: "smallint",
    .int4: "integer", .text: "text", .oid: "oid", .json: "json", .xml: "xml", .float4: "real",
    .float8: "double precision", .boolArray: "boolean[]", .byteaArray: "bytea[]", .int2Array: "smallint[]",
    .int4Array: "integer[]", .textArray: "text[]", .int8Array: "bigint[]", .float4Array: "real[]",
    .float8Array: "double precision[]", .bpchar: "character", .varchar: "character varying", .timestamp: "timestamp",
    .timestamptz: "timestamptz", .timestamptzArray: "timestamptz[]", .numeric: "numeric", .void: "void",
    .uuid: "uuid", .uuidArray: "uuid[]", .jsonb: "jsonb",
  ]

  public var description: String { Self.names[self] ?? "type \(rawValue)" }
}
