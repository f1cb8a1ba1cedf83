/// An ad hoc query: what is interpolated becomes a bind, never text.
public struct PostgresQuery: Sendable, ExpressibleByStringInterpolation {
  /// The text, with placeholders.
  public private(set) var sql: String
  /// The binds.
  public private(set) var parameters: PostgresParameters

  /// A query without binds.
  public init(stringLiteral value: String) {
    sql = value
    parameters = PostgresParameters()
  }

  /// A query whose interpolations are binds.
  public init(stringInterpolation: StringInterpolation) {
    sql = stringInterpolation.sql
    parameters = stringInterpolation.parameters
  }

  /// A query of text that is trusted, without binds.
  public init(unsafeRaw sql: String) { self.init(stringLiteral: sql) }

  /// Collects text and binds.
  public struct StringInterpolation: StringInterpolationProtocol {
    var sql: String
    var parameters = PostgresParameters()

    /// Reserves room.
    public init(literalCapacity: Int, interpolationCount: Int) {
      sql = ""
      sql.reserveCapacity(literalCapacity + interpolationCount * 3)
    }

    /// Text of the program's own.
    public mutating func appendLiteral(_ literal: String) { sql += literal }

    /// A bind.
    public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T) {
      parameters.append(value)
      sql += "$\(parameters.count)"
    }

    /// A bind that may be NULL.
    public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T?) {
      parameters.append(value)
      sql += "$\(parameters.count)"
    }

    /// Text as it is: only for text that no user can reach.
    public mutating func appendInterpolation(unsafeRaw text: String) { sql += text }
  }
}
