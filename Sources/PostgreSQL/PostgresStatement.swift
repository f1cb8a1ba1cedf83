// SPDX-License-Identifier: Apache-2.0

/// One SQL statement: its text, its parameters, its row.
public protocol PostgresStatement: Sendable {
  /// The type of a decoded row; `Void` for a statement without rows.
  associatedtype Row: Sendable

  /// The text, with placeholders `$1`…; the same for every value of the type.
  static var sql: String { get }

  /// Binds the placeholders, in their order and always with the same types.
  func bind(into parameters: inout PostgresParameters)

  /// Reads a row.
  ///
  /// - Throws: `PostgresError` of kind `decoding`.
  static func decode(_ row: PostgresRow) throws -> Row
}

extension PostgresStatement {
  /// No parameters.
  public func bind(into parameters: inout PostgresParameters) {}

  var parameters: PostgresParameters {
    var parameters = PostgresParameters()
    bind(into: &parameters)
    return parameters
  }
}

extension PostgresStatement where Row == Void {
  /// Nothing to read.
  public static func decode(_ row: PostgresRow) throws {}
}

extension PostgresStatement where Row == PostgresRow {
  /// The row as it is.
  public static func decode(_ row: PostgresRow) throws -> PostgresRow { row }
}
