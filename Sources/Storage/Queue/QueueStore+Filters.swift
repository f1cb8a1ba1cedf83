// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

extension QueueStore {
  /// The most filters on a page.
  static let mostFilters = 100

  /// The filters that an account sees: its own by name, then those that others share.
  public func savedFilters(of account: String) async throws -> [SavedFilter] {
    try await pool.run(SQL.readSavedFilters(account: account, limit: Self.mostFilters))
  }

  /// Saves a filter in place of the account's filter of the same name. Triage may not share.
  public func save(_ filter: SavedFilter, role: Role, at time: Date) async throws -> FilterOutcome {
    guard !filter.isShared || role >= .moderator else { return .notShareable }
    return try await pool.run(SQL.saveFilter(filter: filter, time: time)).isEmpty ? .full : .saved
  }

  /// Deletes a saved filter; see ``SavedFilter/canBeDeleted(by:)``.
  /// - Returns: false where it is not the worker's to delete; true also where there is none of this id.
  public func deleteFilter(_ id: UUID, by worker: QueueWorker) async throws -> Bool {
    guard let filter = try await pool.run(SQL.readSavedFilter(id: id)).first else { return true }
    guard filter.canBeDeleted(by: worker) else { return false }
    _ = try await pool.run(SQL.deleteSavedFilter(id: id))
    return true
  }
}
