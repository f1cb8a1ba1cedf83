import Synchronization

/// Counts the open connections of each network. It holds no more than there are connections.
package final class NetworkConnections: Sendable {
  private let limit: Int
  private let open = Mutex<[ClientNetwork: Int]>([:])

  /// - Parameter limit: the most of one network.
  package init(limit: Int) {
    self.limit = limit
  }

  /// - Returns: whether there is room for one more; it is counted then.
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
