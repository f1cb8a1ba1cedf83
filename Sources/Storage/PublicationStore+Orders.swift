public import Foundation
import PostgreSQL

extension PublicationStore {
  /// Writes into the trail that somebody has ordered a publication.
  public func note(_ event: AuditEvent, at time: Date) async throws {
    _ = try await pool.retrying { try await $0.run(AppendAudit(event, at: time)) }
  }
}
