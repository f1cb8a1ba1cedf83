// SPDX-License-Identifier: Apache-2.0

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
  /// One sentence that is safe to show.
  public var description: String {
    switch kind {
    case .invalidConfiguration:
      "The database's connection string is malformed. In a URI, encode special characters of a password, such as %2F for / and %40 for @."
    case .connectionFailed: "The database could not be reached."
    case .connectionLost: "The connection to the database was lost."
    case .connectionClosed: "The connection to the database is closed."
    case .server(let state): "The database refused a statement (\(Self.condition(state)), SQLSTATE \(state))."
    case .poolTimeout(.zero): "Too many requests already wait for a database connection."
    case .poolTimeout(let limit): "No database connection became free within \(limit)."
    case .poolShutDown: "The database pool is shut down."
    case .cancelled: "The database work was cancelled."
    case .decoding(let column, let expected, let got): "Column \(column) should be \(expected) but is \(got)."
    case .encoding(let parameter, let reason): "Parameter $\(parameter) cannot be sent: \(reason)."
    case .acknowledgementInDoubt: "It is unknown whether the transaction was committed."
    case .transactionAborted: "The transaction was rolled back because one of its statements failed."
    case .misuse(let what): "The database connection is misused: \(what)."
    }
  }

  /// All details except the parameters and the connection string: for logs.
  public var debugDescription: String {
    var parts = ["PostgresError(\(kind))"]
    if let server {
      parts.append("\(server.severity) \(server.sqlState): \(server.message)")
      let more = [
        "detail": server.detail, "hint": server.hint, "position": server.position.map(String.init),
        "context": server.context, "schema": server.schema, "table": server.table, "column": server.column,
        "constraint": server.constraint,
      ]
      for (name, value) in more.sorted(by: { $0.key < $1.key }) {
        if let value { parts.append("\(name): \(value)") }
      }
    }
    if let clientMessage { parts.append("libpq: \(clientMessage)") }
    if let sql { parts.append("sql: \(sql)") }
    return parts.joined(separator: "; ")
  }

  /// A name for an SQLSTATE, or for its class.
  private static func condition(_ state: String) -> String {
    conditions[state] ?? classes[String(state.prefix(2))] ?? "error"
  }

  private static let conditions = [
    "23502": "a value is missing", "23503": "a reference is missing", "23505": "a duplicate", "23514": "a check failed",
    "23P01": "an exclusion", "40001": "a concurrent change", "40P01": "a deadlock", "57014": "cancelled",
    "55P03": "a lock is not available", "42P01": "no such table", "42703": "no such column", "42501": "not permitted",
    "57P01": "the server is stopping", "57P02": "the server crashed", "57P03": "the server is not ready",
  ]

  private static let classes = [
    "08": "the connection", "0A": "not supported", "22": "invalid data", "23": "a constraint",
    "25": "transaction state",
    "28": "not authorized", "3D": "no such database", "40": "a rollback", "42": "an invalid statement",
    "53": "resources are exhausted", "54": "a limit", "55": "object state", "57": "an operator", "58": "a system error",
    "XX": "an internal error",
  ]
}
