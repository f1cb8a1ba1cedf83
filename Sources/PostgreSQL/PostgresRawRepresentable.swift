// SPDX-License-Identifier: Apache-2.0

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
  /// The type of the raw value.
  public static var postgresType: PostgresType { RawValue.postgresType }
  /// Writes the raw value.
  public func encode(into buffer: inout PostgresByteBuffer) { rawValue.encode(into: &buffer) }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
  /// The SQL types of the raw value.
  public static var postgresExpectation: String { RawValue.postgresExpectation }
  /// Reads the raw value; nil for one without a case.
  public init?(postgresValue: PostgresValue) {
    guard let raw = RawValue(postgresValue: postgresValue) else { return nil }
    self.init(rawValue: raw)
  }
}

extension PostgresDecodable where Self: RawRepresentable & PostgresEncodable, RawValue: PostgresDecodable {
  /// The SQL types of the raw value.
  public static var postgresExpectation: String { RawValue.postgresExpectation }
}

extension PostgresScalar where Self: RawRepresentable, RawValue: PostgresScalar {
  /// The type of an array of raw values.
  public static var postgresArrayType: PostgresType { RawValue.postgresArrayType }
}
