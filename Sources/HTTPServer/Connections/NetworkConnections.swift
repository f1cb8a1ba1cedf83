// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the open connections of each network. Its size is bounded by the number of connections.
package final class NetworkConnections: Sendable {
  private let limit: Int
  private let open = Mutex<[ClientNetwork: Int]>([:])

  /// - Parameter limit: maximum connections of one network.
  package init(limit: Int) {
    self.limit = limit
  }

  /// Counts a connection.
  /// - Returns: false if the network has reached its limit; nothing is counted then.
  package func add(_ network: ClientNetwork) -> Bool {
    open.withLock { open in
      let count = open[network, default: 0]
      guard count < limit else { return false }
      open[network] = count + 1
      return true
    }
  }

  package func remove(_ network: ClientNetwork) {
    open.withLock { open in
      guard let count = open[network] else { return }
      open[network] = count > 1 ? count - 1 : nil
    }
  }
}
