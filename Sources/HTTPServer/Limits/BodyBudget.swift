// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Memory for request bodies: a limit for all, and a quarter of it for one network.
///
/// Bytes are counted when they arrive, so that an announced length reserves no memory.
package final class BodyBudget: Sendable {
  private struct State {
    var taken = 0
    var byNetwork: [ClientNetwork: Int] = [:]
  }

  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter limit: bytes.
  package init(limit: Int) {
    self.limit = limit
  }

  /// Reserves memory.
  /// - Returns: false if a limit is reached; nothing is reserved then.
  package func take(_ bytes: Int, for network: ClientNetwork) -> Bool {
    state.withLock { state in
      let share = state.byNetwork[network, default: 0] + bytes
      guard state.taken + bytes <= limit, share <= limit / 4 else { return false }
      state.taken += bytes
      state.byNetwork[network] = share
      return true
    }
  }

  package func giveBack(_ bytes: Int, of network: ClientNetwork) {
    guard bytes > 0 else { return }
    state.withLock { state in
      state.taken -= bytes
      let share = state.byNetwork[network, default: 0] - bytes
      state.byNetwork[network] = share > 0 ? share : nil
    }
  }

  /// Reserved bytes.
  package var taken: Int { state.withLock { $0.taken } }
}
