// SPDX-License-Identifier: Apache-2.0

import CLibPQ
import Logging
import Synchronization

/// Receives a connection's notices, on its thread.
final class NoticeSink: Sendable {
  private struct State {
    var handler: (@Sendable (PostgresMessage) -> Void)?
    var warnings: [PostgresMessage] = []
  }

  private let logger: Logger
  private let state = Mutex(State())

  init(logger: Logger) { self.logger = logger }

  func setHandler(_ handler: (@Sendable (PostgresMessage) -> Void)?) {
    state.withLock { $0.handler = handler }
  }

  /// The warnings since the last call.
  func takeWarnings() -> [PostgresMessage] {
    state.withLock { state in
      guard !state.warnings.isEmpty else { return [] }
      defer { state.warnings = [] }
      return state.warnings
    }
  }

  func receive(_ notice: PostgresMessage) {
    let handler = state.withLock { state in
      if notice.severity == "WARNING", state.warnings.count < 100 { state.warnings.append(notice) }
      return state.handler
    }
    logger.log(
      level: notice.severity == "WARNING" ? .warning : .debug, "The database has a remark",
      metadata: [
        "db.severity": "\(notice.severity)", "db.sqlstate": "\(notice.sqlState)", "db.message": "\(notice.message)",
      ])
    handler?(notice)
  }

  /// Makes libpq pass notices to this sink, which must outlive the connection.
  func attach(to connection: OpaquePointer) {
    PQsetNoticeReceiver(
      connection,
      { context, result in
        guard let context, let result else { return }
        let sink = Unmanaged<NoticeSink>.fromOpaque(context).takeUnretainedValue()
        sink.receive(PostgresMessage(result: result))
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
