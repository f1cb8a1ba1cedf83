// SPDX-License-Identifier: Apache-2.0

import CLibPQ

public struct PostgresRow: Sendable {
  let batch: RowBatch
  let index: Int

  public var columnCount: Int { batch.columnCount }

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
    } else if type.description == T.postgresExpectation {
      got = "a value that does not fit"
    } else {
      got = type.description
    }
    let name = batch.name(of: column) ?? "\(column)"
    return PostgresError(.decoding(column: name, expected: T.postgresExpectation, got: got))
  }
}

/// The rows of a result of libpq. Immutable.
final class RowBatch: @unchecked Sendable {
  private let result: OpaquePointer
  let rowCount: Int
  let columnCount: Int

  /// Takes ownership of a result.
  init(result: OpaquePointer) {
    self.result = result
    rowCount = Int(PQntuples(result))
    columnCount = Int(PQnfields(result))
  }

  deinit { PQclear(result) }

  var status: ExecStatusType { PQresultStatus(result) }

  var affectedCount: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// The command's tag, as `INSERT 0 1`.
  var commandTag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  func name(of column: Int) -> String? { PQfname(result, Int32(column)).map { String(cString: $0) } }

  func type(of column: Int) -> PostgresType { PostgresType(rawValue: PQftype(result, Int32(column))) }

  /// Passes the bytes of a field, nil for NULL.
  func withField<T>(row: Int, column: Int, _ body: (PostgresValue?) -> T) -> T {
    let row = Int32(row), column = Int32(column)
    let length = Int(PQgetlength(result, row, column))
    if length == 0, PQgetisnull(result, row, column) != 0 { return body(nil) }
    let value = UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length)
    return body(PostgresValue(bytes: value, type: PostgresType(rawValue: PQftype(result, column))))
  }

  func decodeAll<T>(_ decode: (PostgresRow) throws -> T) rethrows -> [T] {
    var rows: [T] = []
    rows.reserveCapacity(rowCount)
    for index in 0..<rowCount { rows.append(try decode(PostgresRow(batch: self, index: index))) }
    return rows
  }
}
