import Foundation
import PostgreSQL

extension PostgresConfiguration {
  /// A connection string, and what RINGFENCE_DATABASE_POOLER says of what stands between: `none`, or `transaction` for
  /// PgBouncer in transaction mode, where a prepared statement may be unknown to the next connection.
  /// - Throws: ``CommandFailure`` for any other word.
  init(pooled dsn: String, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    self.init(dsn)
    switch environment["RINGFENCE_DATABASE_POOLER"] ?? "" {
    case "", "none": break
    case "transaction": usesPreparedStatements = false
    default:
      throw CommandFailure.failed(
        "RINGFENCE_DATABASE_POOLER is none, or transaction for PgBouncer in transaction mode.")
    }
  }
}
