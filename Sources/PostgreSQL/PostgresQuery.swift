// SPDX-License-Identifier: Apache-2.0

/// An ad hoc query: interpolated values become parameters, never text.
public struct PostgresQuery: Sendable, ExpressibleByStringInterpolation {
  /// The text, with placeholders.
  public private(set) var sql: String
  /// The parameters.
  public private(set) var parameters: PostgresParameters

  /// A query without parameters.
  public init(stringLiteral value: String) {
    sql = value
    parameters = PostgresParameters()
  }

  /// A query whose interpolations are parameters.
  public init(stringInterpolation: StringInterpolation) {
    sql = stringInterpolation.sql
    parameters = stringInterpolation.parameters
  }

  /// A query from trusted text, without parameters.
  public init(unsafeRaw sql: String) { self.init(stringLiteral: sql) }

  /// Collects text and parameters.
  public struct StringInterpolation: StringInterpolationProtocol {
    var sql: String
    var parameters = PostgresParameters()

    /// Reserves memory.
    public init(literalCapacity: Int, interpolationCount: Int) {
      sql = ""
      sql.reserveCapacity(literalCapacity + interpolationCount * 3)
    }

    /// Literal text of the program.
    public mutating func appendLiteral(_ literal: String) { sql += literal }

    /// A parameter.
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
