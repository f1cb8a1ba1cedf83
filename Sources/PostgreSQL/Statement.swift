// SPDX-License-Identifier: Apache-2.0

/// One SQL statement: its text with placeholders `$1`…, the values of the placeholders, and how to read a row.
///
/// A connection prepares each text once. So a text must not contain values, and a statement always binds the same
/// types.
public struct Statement<Row: Sendable>: Sendable {
  public let sql: String
  let parameters: PostgresParameters
  let decode: @Sendable (PostgresRow) throws -> Row

  /// A statement that returns rows.
  ///
  /// - Parameters:
  ///   - sql: The text.
  ///   - values: The values of the placeholders, in their order.
  ///   - file, function: The function that makes the statement.
  ///   - decode: Reads a row; throws `PostgresError` of kind `decoding`.
  public init<each Value: PostgresBindable>(
    _ sql: String, _ values: repeat each Value, file: StaticString = #fileID, function: StaticString = #function,
    decode: @escaping @Sendable (PostgresRow) throws -> Row
  ) {
    var parameters = PostgresParameters()
    for value in repeat each values { value.bind(into: &parameters) }
    #if DEBUG
      StatementRecord.note(sql, parameters.types, madeBy: file, function)
    #endif
    self.sql = sql
    self.parameters = parameters
    self.decode = decode
  }
}

extension Statement {
  /// A statement whose columns have the types of the row, in their order, such as `Statement<(Int64, UUID?)>`.
  public init<each Value: PostgresBindable, each Column: PostgresColumn>(
    _ sql: String, _ values: repeat each Value, file: StaticString = #fileID, function: StaticString = #function
  ) where Row == (repeat each Column) {
    self.init(sql, repeat each values, file: file, function: function) { row in
      var column = 0
      func next<T: PostgresColumn>(_ type: T.Type) throws -> T {
        defer { column += 1 }
        return try T.read(column, of: row)
      }
      return (repeat try next((each Column).self))
    }
  }
}

extension Statement where Row == Void {
  /// A statement without rows.
  public init<each Value: PostgresBindable>(
    _ sql: String, _ values: repeat each Value, file: StaticString = #fileID, function: StaticString = #function
  ) {
    self.init(sql, repeat each values, file: file, function: function) { _ in }
  }
}

/// Values of one or more placeholders, in their order.
public protocol PostgresBindable: Sendable {
  /// Binds the next placeholders, always with the same types.
  func bind(into parameters: inout PostgresParameters)
}

extension PostgresEncodable {
  public func bind(into parameters: inout PostgresParameters) { parameters.append(self) }
}

extension Optional: PostgresBindable where Wrapped: PostgresEncodable {
  /// Binds one placeholder, to NULL when there is no value.
  public func bind(into parameters: inout PostgresParameters) { parameters.append(self) }
}

/// The parameters of a statement, in the order of its placeholders.
public struct PostgresParameters: Sendable {
  /// Values one after another; the first byte is unused, so that each offset points into the buffer.
  var buffer = PostgresByteBuffer()
  var offsets: [Int] = []
  var lengths: [Int32] = []
  var types: [UInt32] = []
  private(set) var failure: (parameter: Int, reason: String)?

  public init() { buffer.bytes = [0] }

  public var count: Int { types.count }

  public mutating func append<T: PostgresEncodable>(_ value: T) {
    let start = buffer.bytes.count
    value.encode(into: &buffer)
    note(type: T.postgresType, offset: start, length: Int32(truncatingIfNeeded: buffer.bytes.count - start))
  }

  /// Binds the next placeholder, to NULL when there is no value.
  public mutating func append<T: PostgresEncodable>(_ value: T?) {
    if let value {
      append(value)
    } else {
      note(type: T.postgresType, offset: 0, length: -1)
    }
  }

  private mutating func note(type: PostgresType, offset: Int, length: Int32) {
    types.append(type.rawValue)
    offsets.append(offset)
    lengths.append(length)
    if let reason = buffer.failure {
      if failure == nil { failure = (types.count, reason) }
    }
  }

  func check() throws {
    if let failure {
      throw PostgresError(.encoding(parameter: failure.parameter, reason: failure.reason))
    }
  }
}

/// An ad hoc query: interpolated values become parameters, never text.
public struct PostgresQuery: Sendable, ExpressibleByStringInterpolation {
  /// The text, with placeholders.
  public private(set) var sql: String
  public private(set) var parameters: PostgresParameters

  public init(stringLiteral value: String) {
    sql = value
    parameters = PostgresParameters()
  }

  public init(stringInterpolation: StringInterpolation) {
    sql = stringInterpolation.sql
    parameters = stringInterpolation.parameters
  }

  /// A query from trusted text, without parameters.
  public init(unsafeRaw sql: String) { self.init(stringLiteral: sql) }

  public struct StringInterpolation: StringInterpolationProtocol {
    var sql: String
    var parameters = PostgresParameters()

    public init(literalCapacity: Int, interpolationCount: Int) {
      sql = ""
      sql.reserveCapacity(literalCapacity + interpolationCount * 3)
    }

    public mutating func appendLiteral(_ literal: String) { sql += literal }

    public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T) {
      parameters.append(value)
      sql += "$\(parameters.count)"
    }

    /// A parameter that may be NULL.
    public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T?) {
      parameters.append(value)
      sql += "$\(parameters.count)"
    }

    /// Unescaped text: only for text that no user can influence.
    public mutating func appendInterpolation(unsafeRaw text: String) { sql += text }
  }
}
