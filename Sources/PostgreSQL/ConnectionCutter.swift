// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// Ends the connections of work that takes too long. A proxy that lives keeps a connection open whose database is gone,
/// and no timeout of TCP ends it.
public final class ConnectionCutter: Sendable {
  @TaskLocal static var current: ConnectionCutter?

  private let leases = Mutex<[ObjectIdentifier: (connection: PostgresConnection, since: ContinuousClock.Instant)]>([:])

  public init() {}

  /// Runs `body`; ``cut(after:)`` ends the connections that it leases.
  public func watching<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
    try await Self.$current.withValue(self, operation: body)
  }

  /// Ends each connection that has been leased for longer than `limit`, and the idle ones of its pool. The statement or
  /// commit that waits on it throws `PostgresError` of kind `connectionLost` or `acknowledgementInDoubt`.
  public func cut(after limit: Duration) {
    let late = leases.withLock { leases in leases.values.filter { .now - $0.since >= limit }.map(\.connection) }
    for connection in late { connection.status.cut() }
  }

  func begin(_ connection: PostgresConnection) {
    leases.withLock { $0[ObjectIdentifier(connection)] = (connection, .now) }
  }

  func end(_ connection: PostgresConnection) {
    _ = leases.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) }
  }
}

extension PostgresPool {
  /// Ends connections whose call has waited for longer than `limit`, although their server process is gone or waits for
  /// a statement itself: the path to it has fallen silent. Does nothing behind a pooler, which has processes of its own.
  /// It checks the pools of other nodes, too.
  /// - Throws: `PostgresError` where a database cannot be asked.
  public func endSilentConnections(after limit: Duration) async throws {
    guard configuration.usesPreparedStatements else { return }
    var failure: (any Error)?
    for pool in [self] + nodePools {
      do { try await pool.endOwnSilentConnections(after: limit) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  private func endOwnSilentConnections(after limit: Duration) async throws {
    let late = state.withLock { Array($0.open.values) }.compactMap { connection in
      connection.status.call(after: limit).map { (status: connection.status, call: $0) }
    }
    guard !late.isEmpty else { return }
    let connection = try await PostgresConnection.connect(configuration, logger: logger)
    let working: Set<Int32>
    do {
      working = Set(try await connection.run(SilenceSQL.readWorking(late.map(\.status.process), for: limit / 2)))
      await connection.close()
    } catch {
      await connection.close()
      throw error
    }
    for (status, call) in late where !working.contains(status.process) && status.call(after: limit) == call {
      logger.warning("A database connection stopped answering and is closed")
      status.cut()
    }
  }
}

private enum SilenceSQL {
  /// The processes that work, or have worked within `time`, or whose state the role may not see.
  static func readWorking(_ processes: [Int32], for time: Duration) -> Statement<Int32> {
    Statement(
      """
      SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[])
        AND (state IS NULL OR state NOT LIKE 'idle%' OR state_change > clock_timestamp() - $2::float8 * '1 second'::interval)
      """, processes, Double(time.components.seconds)
    ) { try $0.decode(0) }
  }
}
