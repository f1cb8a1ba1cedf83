// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import CLibPQ
public import Logging

/// A connection to PostgreSQL with a dedicated thread: libpq blocks there, never on the cooperative pool.
///
/// One task at a time uses a connection; a pool leases it. Canceling the task cancels the statement on the server, but
/// never a COMMIT.
public actor PostgresConnection {
  private nonisolated let thread: ThreadExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  public nonisolated let configuration: PostgresConfiguration
  nonisolated let logger: Logger
  nonisolated let notices: NoticeSink
  nonisolated let status = ConnectionStatus()

  var link: LibPQConnection?
  /// Prepared statements by their text.
  var prepared: [String: PreparedStatement] = [:]
  var preparedCount = 0
  var transactionDepth = 0
  /// The pending BEGIN of the open transaction: it is sent with the first statement.
  var opening: String?
  var cursorCount = 0
  /// The operation that occupies the connection: a COPY, or a stream in its own transaction.
  var occupation: Occupation?

  private init(_ configuration: PostgresConfiguration, logger: Logger) {
    thread = ThreadExecutor()
    self.configuration = configuration
    self.logger = logger
    notices = NoticeSink(logger: logger)
  }

  deinit {
    let link = link
    let notices = notices
    thread.stop {
      link?.finish()
      _ = notices
    }
  }

  /// - Throws: `PostgresError` of kind `invalidConfiguration`, `connectionFailed` or `cancelled`.
  public static func connect(
    _ configuration: PostgresConfiguration, logger: Logger
  ) async throws -> PostgresConnection {
    guard !Task.isCancelled else { throw PostgresError(.cancelled) }
    let connection = PostgresConnection(configuration, logger: logger)
    try await connection.open()
    return connection
  }

  /// Closes the connection; later calls throw `connectionClosed`. Closing twice does nothing.
  public func close() {
    link?.finish()
    link = nil
    occupation = nil
    prepared = [:]
    status.value = .closed
  }

  /// Whether the connection was lost or closed.
  public nonisolated var isClosed: Bool { status.value == .closed }

  /// The server process of this connection.
  public var processID: Int32 { link.map { PQbackendPID($0.pointer) } ?? 0 }

  /// Calls `handler` on the connection's thread for every notice, in addition to the log; nil removes it.
  public nonisolated func onNotice(_ handler: (@Sendable (PostgresMessage) -> Void)?) {
    notices.setHandler(handler)
  }

  /// The encoding of the database, such as `UTF8`; empty when closed.
  public var serverEncoding: String {
    link.flatMap { PQparameterStatus($0.pointer, "server_encoding") }.map { String(cString: $0) } ?? ""
  }

  /// The version of the server, such as 150018; 0 when closed.
  public var serverVersion: Int { link.map { Int(PQserverVersion($0.pointer)) } ?? 0 }

  /// The settings of each session, whatever the role, the database or the server has as its defaults: statements are
  /// short, so that compiling one (JIT) takes longer than it saves; they retry on the conflicts of READ COMMITTED only;
  /// they limit their own time where a limit is needed; texts of times have one form.
  ///
  /// Behind PgBouncer in transaction mode a session belongs to all clients, and no setting is sent.
  static let settings = """
    SET jit = off; SET default_transaction_isolation = 'read committed'; SET plan_cache_mode = auto;
    SET standard_conforming_strings = on; SET DateStyle = 'ISO'; SET TimeZone = 'UTC'; SET statement_timeout = 0;
    SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET idle_session_timeout = 0
    """

  /// A setting of each session, too, which some systems refuse: a session whose client has ended the connection otherwise waits
  /// for its lock, however long.
  private static let endsWithClient = """
    SET client_connection_check_interval = '5s'
    """

  private func open() throws {
    let pointer = try configuration.openConnection()
    notices.attach(to: pointer)
    let link = LibPQConnection(pointer, status: status)
    self.link = link
    if configuration.usesPreparedStatements {
      do {
        _ = try accept(PQexec(pointer, Self.settings), on: link, sql: Self.settings)
        PQclear(PQexec(pointer, Self.endsWithClient))
      } catch {
        close()
        throw error
      }
    }
    status.value = .idle
  }
}
