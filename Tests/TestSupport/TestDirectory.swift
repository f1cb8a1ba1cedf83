// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Storage
import Synchronization

extension DirectoryStore {
  /// Replaces the entries of a source in one batch.
  public func replace(
    source: String, with entries: [StoredDirectoryEntry], priority: Int32? = nil, at time: Date
  ) async throws {
    let left = Mutex(entries)
    _ = try await replace(source: source, priority: priority, at: time) {
      left.withLock { left in
        defer { left = [] }
        return DirectoryRows(left)
      }
    }
  }
}
