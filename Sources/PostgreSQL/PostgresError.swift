// SPDX-License-Identifier: Apache-2.0

import CLibPQ

/// An error of this program's use of PostgreSQL.
///
/// `description` may be shown to anyone: it contains no SQL, value, server message or address. `debugDescription`
/// contains the server's message, for logs.
public struct PostgresError: Error, Sendable {
  public enum Kind: Sendable, Equatable {
    /// The connection string cannot be understood.
    case invalidConfiguration
    /// No server could be reached.
    case connectionFailed
    /// A server was reached and refused the connection; `clientMessage` has the reason, such as a wrong password.
    case connectionRefused
    /// The connection broke; whether the statement took effect is unknown.
    case connectionLost
    /// The connection was closed by this program.
    case connectionClosed
    /// The server refused the statement; `server` has the reason.
    case server(sqlState: String)
    /// No connection became free within the pool's wait limit.
    case poolTimeout(waitLimit: Duration)
    case poolShutDown
    case cancelled
    /// A column is not what the program expects.
    case decoding(column: String, expected: String, got: String)
    /// A parameter, counted from 1, cannot be sent.
    case encoding(parameter: Int, reason: String)
    /// The transaction may be committed or not, or committed but not yet safe on a standby: it is not acknowledged.
    case acknowledgementInDoubt
    /// A statement failed inside the transaction, which was rolled back although the body continued to its end.
    case transactionAborted
    /// The program uses the connection in a way that cannot work.
    case misuse(String)
  }

  public let kind: Kind
  public let server: PostgresMessage?
  public let sql: String?
  /// libpq's message, where the server sent none.
  public let clientMessage: String?

  init(_ kind: Kind, server: PostgresMessage? = nil, sql: String? = nil, clientMessage: String? = nil) {
    self.kind = kind
    self.server = server
    self.sql = sql
    self.clientMessage = clientMessage
  }

  /// The five characters of the server's error, or nil.
  public var sqlState: String? { server?.sqlState }
  /// Whether a prepared statement is missing or is another session's: a pooler changes sessions between transactions.
  public var isOfPooler: Bool { ["42P05", "26000"].contains(sqlState) }
  public var constraint: String? { server?.constraint }
}

extension PostgresError {
  /// Whether the same work may be tried again on a new connection, provided that it is idempotent.
  ///
  /// True for connections that fail or are lost, acknowledgements in doubt, and SQLSTATE 08*, 57P0*, 40P01, 40001,
  /// XX000.
  public var isRetryable: Bool {
    switch kind {
    case .connectionFailed, .connectionRefused, .connectionLost, .acknowledgementInDoubt: true
    case .server(let state):
      state.hasPrefix("08") || state.hasPrefix("57P0") || ["40P01", "40001", "XX000"].contains(state)
    default: false
    }
  }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
  /// One sentence that is safe to show.
  public var description: String {
    switch kind {
    case .invalidConfiguration:
      "The database's connection string is malformed. In a URI, encode special characters of a password, such as %2F for / and %40 for @."
    case .connectionFailed: "The database could not be reached."
    case .connectionRefused: "The database refused the connection."
    case .connectionLost: "The connection to the database was lost."
    case .connectionClosed: "The connection to the database is closed."
    case .server(let state) where isOfPooler:
      "The database does not know a prepared statement of this session (SQLSTATE \(state)). A pooler in transaction mode, such as PgBouncer, is in front of it: set RINGFENCE_DATABASE_POOLER=transaction."
    case .server(let state): "The database refused a statement (\(Self.condition(state)), SQLSTATE \(state))."
    case .poolTimeout(.zero): "Too many requests already wait for a database connection."
    case .poolTimeout(let limit): "No database connection became free within \(limit)."
    case .poolShutDown: "The database pool is shut down."
    case .cancelled: "The database work was canceled."
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

/// An error or a notice of the server. It may contain data: for logs, not for users.
public struct PostgresMessage: Sendable, Equatable {
  /// `ERROR`, `FATAL`, `WARNING`, `NOTICE`…, never translated.
  public var severity: String
  /// Five characters.
  public var sqlState: String
  public var message: String
  public var detail: String?
  public var hint: String?
  /// The position in the statement, in characters from 1.
  public var position: Int?
  /// The call stack of functions.
  public var context: String?
  public var schema: String?
  public var table: String?
  public var column: String?
  public var constraint: String?
  /// The server's own function that raised it.
  var sourceFunction: String?

  init(result: OpaquePointer) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    severity = field("V") ?? field("S") ?? ""
    sqlState = field("C") ?? ""
    message = field("M") ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
    detail = field("D")
    hint = field("H")
    position = field("P").flatMap { Int($0) }
    context = field("W")
    schema = field("s")
    table = field("t")
    column = field("c")
    constraint = field("n")
    sourceFunction = field("R")
  }
}
