// SPDX-License-Identifier: Apache-2.0

/// A PostgreSQL data type, by its object identifier.
public struct PostgresType: RawRepresentable, Hashable, Sendable {
  /// The object identifier in `pg_type`; 0 when unknown.
  public let rawValue: UInt32

  /// Wraps an object identifier.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let unknown = PostgresType(rawValue: 0)
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
    .uuid: "uuid", .uuidArray: "uuid[]", .jsonb: "jsonb", .unknown: "a type not told",
  ]

  /// The name of the type, or its number.
  public var description: String { Self.names[self] ?? "type \(rawValue)" }
}
