// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import CLibPQ
public import Logging

/// A connection to PostgreSQL with a dedicated thread: libpq blocks there, never on the cooperative pool.
///
/// One task at a time uses a connection; a pool leases it. Canceling the task cancels the statement on the server, but
/// never a COMMIT.
public actor PostgresConnection {
  private nonisolated let thread: ThreadExecutor
  /// The executor of the connection's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// The configuration of the connection.
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

  /// Opens a connection.
  ///
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

  private func open() throws {
    let pointer = try configuration.openConnection()
    notices.attach(to: pointer)
    link = LibPQConnection(pointer)
    status.socket = PQsocket(pointer)
    status.value = .idle
  }
}
