// SPDX-License-Identifier: Apache-2.0

/// The settings of PostgreSQL that decide what a benchmark measures.
struct BenchmarkSettings: Sendable, Codable, Equatable {
  /// `on` or `off`.
  let fsync: String
  /// `on`, `off`, `local`, `remote_write` or `remote_apply`.
  let synchronousCommit: String
  /// `on` or `off`.
  let fullPageWrites: String
  /// PostgreSQL's own, such as `15.14`.
  let version: String
  /// `max_connections`.
  let maximumConnections: Int
  /// Clients that are connected now.
  let usedConnections: Int

  /// Whether an acknowledged commit is on disk.
  var isDurable: Bool {
    fsync == "on" && synchronousCommit != "off"
  }
}
