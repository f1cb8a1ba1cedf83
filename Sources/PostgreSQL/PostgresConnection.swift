import AsyncSupport
import CLibPQ
public import Logging

/// A connection to PostgreSQL, on a thread of its own: libpq blocks there, never on the cooperative pool.
///
/// One task at a time uses a connection; a pool lends it. Cancelling the task cancels the statement on the server,
/// but never a COMMIT.
public actor PostgresConnection {
  private nonisolated let thread: ThreadExecutor
  /// The connection's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// What the connection was opened with.
  public nonisolated let configuration: PostgresConfiguration
  nonisolated let logger: Logger
  nonisolated let notices: NoticeSink
  nonisolated let status = ConnectionStatus()

  var link: Link?
  var prepared: [ObjectIdentifier: PreparedStatement] = [:]
  var preparedCount = 0
  var transactionDepth = 0
  /// What begins the open transaction and was not sent yet: it goes out with the first statement.
  var opening: String?
  var cursorCount = 0
  /// What keeps the connection from other statements: a COPY, or a stream in a transaction of its own.
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

  /// Closes the connection; what comes later throws `connectionClosed`. Closing twice does nothing.
  public func close() {
    link?.finish()
    link = nil
    occupation = nil
    prepared = [:]
    status.value = .closed
  }

  /// Whether the connection was lost or closed.
  public nonisolated var isClosed: Bool { status.value == .closed }

  /// The server's process that serves this connection, for logs.
  public var processID: Int32 { link.map { PQbackendPID($0.pointer) } ?? 0 }

  /// Calls `handler` on the connection's thread for every notice, beside the log; nil ends that.
  public nonisolated func onNotice(_ handler: (@Sendable (PostgresMessage) -> Void)?) {
    notices.setHandler(handler)
  }

  private func open() throws {
    let pointer = try configuration.openConnection()
    notices.attach(to: pointer)
    link = Link(pointer)
    status.socket = PQsocket(pointer)
    status.value = .idle
  }
}
