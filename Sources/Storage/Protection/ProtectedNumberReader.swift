// SPDX-License-Identifier: Apache-2.0

import Curation

/// The protected numbers in memory, read again after a change of them. One task reads them at a time for each version.
actor ProtectedNumberReader {
  private let store: ProtectionStore
  private var known: (version: Int64, task: Task<ProtectedNumbers, any Error>)?

  init(store: ProtectionStore) {
    self.store = store
  }

  func numbers() async throws -> ProtectedNumbers {
    let version = try await store.version()
    if let known, known.version == version { return try await known.task.value }
    let task = Task { [store] in try await store.load() }
    known = (version, task)
    do {
      return try await task.value
    } catch {
      if known?.task == task { known = nil }
      throw error
    }
  }
}
