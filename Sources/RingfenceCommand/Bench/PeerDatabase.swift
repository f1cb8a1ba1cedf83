/// The PostgreSQL that the server under load works on.
struct PeerDatabase: Sendable {
  let dsn: String
  /// For what the server's own role may not: CHECKPOINT.
  let maintenanceDSN: String
}
