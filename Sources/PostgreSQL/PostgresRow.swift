// SPDX-License-Identifier: Apache-2.0

/// A row of a result.
public struct PostgresRow: Sendable {
  let batch: RowBatch
  let index: Int

  /// Number of columns.
  public var columnCount: Int { batch.columnCount }

  /// The index of the first column with this name; rows of a binary COPY have no names.
  public func column(named name: String) -> Int? { batch.index(of: name) }

  /// The type of a column; `PostgresType(rawValue: 0)` for rows of a binary COPY.
  public func type(of column: Int) -> PostgresType { batch.type(of: column) }

  /// Whether a column is NULL.
  public func isNull(_ column: Int) -> Bool {
    batch.withField(row: index, column: column) { $0 == nil }
  }

  /// Reads a column that is not NULL.
  ///
  /// - Throws: `PostgresError` of kind `decoding` for NULL, another type, a number out of range, or no such column.
  public func decode<T: PostgresDecodable>(_ column: Int, as type: T.Type = T.self) throws -> T {
    try check(column, T.self)
    let value = batch.withField(row: index, column: column) { field in field.flatMap { T(postgresValue: $0) } }
    guard let value else { throw mismatch(column, T.self) }
    return value
  }

  /// Reads a column that may be NULL.
  ///
  /// - Throws: `PostgresError` of kind `decoding` for another type, a number out of range, or no such column.
  public func decode<T: PostgresDecodable>(_ column: Int, as type: T?.Type = T?.self) throws -> T? {
    try check(column, T.self)
    let value = batch.withField(row: index, column: column) { field -> T?? in
      guard let field else { return .some(nil) }
      return T(postgresValue: field).map { .some($0) }
    }
    guard let value else { throw mismatch(column, T.self) }
    return value
  }

  private func check<T: PostgresDecodable>(_ column: Int, _: T.Type) throws {
    guard column >= 0, column < columnCount else {
      throw PostgresError(
        .decoding(column: "\(column)", expected: T.postgresExpectation, got: "a row of \(columnCount) columns"))
    }
  }

  private func mismatch<T: PostgresDecodable>(_ column: Int, _: T.Type) -> PostgresError {
    let type = batch.type(of: column)
    let got: String
    if isNull(column) {
      got = "NULL"
    } else if type.description == T.postgresExpectation || type == .unknown {
      got = "a value that does not fit"
    } else {
      got = type.description
    }
    let name = batch.name(of: column) ?? "\(column)"
    return PostgresError(.decoding(column: name, expected: T.postgresExpectation, got: got))
  }
}
