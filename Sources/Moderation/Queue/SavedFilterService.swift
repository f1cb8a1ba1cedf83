// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import PostgreSQL
package import Storage

/// Saves and deletes filters of the queue.
package struct SavedFilterService: Sendable {
  private let pool: PostgresPool

  package init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Saves a filter in place of the account's filter of the same name. Triage may not share.
  package func save(_ filter: SavedFilter, role: Role, at time: Date) async throws -> FilterOutcome {
    guard !filter.isShared || role >= .moderator else { return .notShareable }
    return try await pool.run(SQL.saveFilter(filter: filter, time: time)).isEmpty ? .full : .saved
  }

  /// Deletes a saved filter; see ``SavedFilter/canBeDeleted(by:)``.
  /// - Returns: false where it is not the worker's to delete; true also where there is none of this id.
  package func delete(_ id: UUID, by worker: Actor) async throws -> Bool {
    guard let filter = try await pool.run(SQL.readSavedFilter(id: id)).first else { return true }
    guard filter.canBeDeleted(by: worker) else { return false }
    _ = try await pool.run(SQL.deleteSavedFilter(id: id))
    return true
  }
}

extension SavedFilter {
  /// Whether a worker may delete it: its account may, and administrators may delete shared ones.
  package func canBeDeleted(by worker: Actor) -> Bool {
    worker.name == account || isShared && worker.role >= .administrator
  }
}

package enum FilterOutcome: Sendable, Equatable {
  case saved
  /// The account has ``SavedFilter/most`` filters.
  case full
  /// The role may not share filters.
  case notShareable
}
