// SPDX-License-Identifier: Apache-2.0

/// An error of this program's use of PostgreSQL.
///
/// `description` may be shown to anyone: it contains no SQL, value, server message or address. `debugDescription`
/// contains the server's message, for logs.
public struct PostgresError: Error, Sendable {
  /// The kinds of failure.
  public enum Kind: Sendable, Equatable {
    /// The connection string cannot be understood.
    case invalidConfiguration
    /// No server accepted the connection.
    case connectionFailed
    /// The connection broke; whether the statement took effect is unknown.
    case connectionLost
    /// The connection was closed by this program.
    case connectionClosed
    /// The server refused the statement; `server` has the reason.
    case server(sqlState: String)
    /// No connection became free within the pool's wait limit.
    case poolTimeout(waitLimit: Duration)
    /// The pool is shut down.
    case poolShutDown
    /// The task was cancelled.
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

  /// The kind of failure.
  public let kind: Kind
  /// The server's message; nil where there is none.
  public let server: PostgresMessage?
  /// The text of the statement, when there was one.
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
  /// The constraint that was violated, or nil.
  public var constraint: String? { server?.constraint }
}

extension PostgresError {
  /// Whether the same work may be tried again on a new connection, provided that it is idempotent.
  ///
  /// True for connections that fail or are lost, acknowledgements in doubt, and SQLSTATE 08*, 57P0*, 40P01, 40001,
  /// XX000.
  public var isRetryable: Bool {
    switch kind {
    case .connectionFailed, .connectionLost, .acknowledgementInDoubt: true
    case .server(let state):
      state.hasPrefix("08") || state.hasPrefix("57P0") || ["40P01", "40001", "XX000"].contains(state)
    default: false
    }
  }

  /// Whether the connection is lost.
  var losesConnection: Bool {
    switch kind {
    case .connectionFailed, .connectionLost, .connectionClosed: true
    default: false
    }
  }
}
