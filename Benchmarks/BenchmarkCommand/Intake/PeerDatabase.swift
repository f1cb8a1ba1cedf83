// SPDX-License-Identifier: Apache-2.0

/// The PostgreSQL of the server under load.
struct PeerDatabase: Sendable {
  let dsn: String
  /// For CHECKPOINT, which the server's own role may not run.
  let maintenanceDSN: String
}
