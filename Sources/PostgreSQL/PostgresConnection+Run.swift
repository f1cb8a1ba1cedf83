// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// - Throws: `PostgresError`.
  public func run<Row>(_ statement: Statement<Row>) async throws -> [Row] {
    try await batch(statement).decodeAll(statement.decode)
  }

  /// - Throws: `PostgresError`.
  @discardableResult
  public func runReportingCount<Row>(_ statement: Statement<Row>) async throws -> Int {
    try await batch(statement).affectedCount
  }

  /// Runs an ad hoc query, unnamed.
  ///
  /// - Throws: `PostgresError`.
  @discardableResult
  public func query(_ query: PostgresQuery) async throws -> [PostgresRow] {
    try checkUnoccupied()
    try query.parameters.check()
    return try await perform(sql: query.sql) { link in
      try unnamed(query.sql, query.parameters, on: link)
    }.decodeAll { $0 }
  }

  /// Runs an ad hoc query, unnamed, and returns the number of affected rows.
  ///
  /// - Throws: `PostgresError`.
  @discardableResult
  public func execute(_ query: PostgresQuery) async throws -> Int {
    try checkUnoccupied()
    try query.parameters.check()
    return try await perform(sql: query.sql) { link in
      try unnamed(query.sql, query.parameters, on: link)
    }.affectedCount
  }

  /// Runs several statements in one message, without parameters and without rows: for migrations and settings.
  ///
  /// - Throws: `PostgresError`.
  public func execute(
    script: String, file: StaticString = #fileID, function: StaticString = #function
  ) async throws {
    #if DEBUG
      StatementRecord.note(script, madeBy: file, function)
    #endif
    try checkUnoccupied()
    guard !script.utf8.contains(0) else {
      throw PostgresError(.encoding(parameter: 0, reason: "a script must not hold a NUL character"))
    }
    try await perform(sql: script) { link in
      _ = try accept(PQexec(link.pointer, script), on: link, sql: script)
    }
  }

  private func batch<Row>(_ statement: Statement<Row>) async throws -> RowBatch {
    try checkUnoccupied()
    try statement.parameters.check()
    return try await perform(sql: statement.sql) { link in
      guard configuration.usesPreparedStatements else {
        return try unnamed(statement.sql, statement.parameters, on: link)
      }
      return try named(statement.sql, statement.parameters, on: link)
    }
  }

  func unnamed(_ sql: String, _ parameters: PostgresParameters, on link: LibPQConnection) throws -> RowBatch {
    let result = parameters.withPointers { values, lengths, formats in
      PQexecParams(
        link.pointer, sql, Int32(parameters.count), parameters.types, values, lengths, formats, 1)
    }
    return try accept(result, on: link, sql: sql)
  }

  private func named(_ sql: String, _ parameters: PostgresParameters, on link: LibPQConnection) throws -> RowBatch {
    guard let name = try preparedName(sql, parameters, on: link) else {
      return try unnamed(sql, parameters, on: link)
    }
    let result = parameters.withPointers { values, lengths, formats in
      PQexecPrepared(link.pointer, name, Int32(parameters.count), values, lengths, formats, 1)
    }
    do {
      return try accept(result, on: link, sql: sql)
    } catch let error as PostgresError where Self.isStale(error) {
      // The schema changed after planning, or the server dropped the statement.
      prepared[sql] = nil
      guard link.isIdle else { throw error }
      return try unnamed(sql, parameters, on: link)
    }
  }

  /// The name of a prepared statement, which is prepared on first use.
  /// - Returns: nil when it is prepared with other parameter types.
  func preparedName(_ sql: String, _ parameters: PostgresParameters, on link: LibPQConnection) throws -> String? {
    if let known = prepared[sql] {
      return known.types == parameters.types ? known.name : nil
    }
    preparedCount += 1
    let statement = PreparedStatement(name: Self.name(of: sql, preparedCount), types: parameters.types)
    let result = PQprepare(link.pointer, statement.name, sql, Int32(parameters.count), parameters.types)
    _ = try accept(result, on: link, sql: sql)
    prepared[sql] = statement
    return statement.name
  }

  /// A name that only this text has. Behind a pooler in transaction mode that no setting names, a session of another
  /// client may have a statement of the same name: a number alone would run its text with these values.
  private static func name(of sql: String, _ count: Int) -> String {
    // FNV-1a, with 64 bits.
    let hash = sql.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "s\(String(hash, radix: 16))_\(count)"
  }

  static func isStale(_ error: PostgresError) -> Bool {
    error.sqlState == "26000" || error.server?.sourceFunction == "RevalidateCachedQuery"
  }
}

extension PostgresParameters {
  /// Passes the parameters in libpq's layout; all formats are binary.
  func withPointers<T>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> T
  ) -> T {
    guard count > 0 else { return body(nil, nil, nil) }
    return buffer.bytes.withUnsafeBytes { bytes in
      let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = zip(offsets, lengths).map { offset, length in length < 0 ? nil : base.map { $0 + offset } }
      let formats = [Int32](repeating: 1, count: count)
      return body(values, lengths, formats)
    }
  }
}
