// SPDX-License-Identifier: Apache-2.0

/// One SQL statement: its text with placeholders `$1`…, the values of the placeholders, and how to read a row.
///
/// A connection prepares each text once. So a text must not contain values, and a statement always binds the same
/// types.
public struct Statement<Row: Sendable>: Sendable {
  /// The text.
  public let sql: String
  let parameters: PostgresParameters
  let decode: @Sendable (PostgresRow) throws -> Row

  /// A statement that returns rows.
  ///
  /// - Parameters:
  ///   - sql: The text.
  ///   - values: The values of the placeholders, in their order.
  ///   - decode: Reads a row; throws `PostgresError` of kind `decoding`.
  public init<each Value: PostgresBindable>(
    _ sql: String, _ values: repeat each Value, decode: @escaping @Sendable (PostgresRow) throws -> Row
  ) {
    var parameters = PostgresParameters()
    for value in repeat each values { value.bind(into: &parameters) }
    self.sql = sql
    self.parameters = parameters
    self.decode = decode
  }
}

extension Statement where Row == Void {
  /// A statement without rows.
  public init<each Value: PostgresBindable>(_ sql: String, _ values: repeat each Value) {
    self.init(sql, repeat each values) { _ in }
  }
}

/// Values of one or more placeholders, in their order.
public protocol PostgresBindable: Sendable {
  /// Binds the next placeholders, always with the same types.
  func bind(into parameters: inout PostgresParameters)
}

extension PostgresEncodable {
  /// Binds one placeholder.
  public func bind(into parameters: inout PostgresParameters) { parameters.append(self) }
}

extension Optional: PostgresBindable where Wrapped: PostgresEncodable {
  /// Binds one placeholder, to NULL when there is no value.
  public func bind(into parameters: inout PostgresParameters) { parameters.append(self) }
}
