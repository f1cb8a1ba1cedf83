// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Synchronization

/// Whether Citus distributes the tables of a database; asked once.
final class ClusterState: Sendable {
  private let pool: PostgresPool
  private let known: Mutex<Bool?>

  /// - Parameter isCluster: nil where the database says it.
  init(pool: PostgresPool, isCluster: Bool? = nil) {
    self.pool = pool
    known = Mutex(isCluster)
  }

  /// - Throws: `PostgresError`.
  var isCluster: Bool {
    get async throws {
      if let isCluster = known.withLock({ $0 }) { return isCluster }
      let isCluster = try await pool.run(SQL.readIsCluster()).first ?? false
      known.withLock { $0 = isCluster }
      return isCluster
    }
  }
}
