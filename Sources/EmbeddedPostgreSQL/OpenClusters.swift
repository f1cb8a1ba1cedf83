// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps the open clusters alive.
final class OpenClusters: Sendable {
  private let clusters = Mutex<[ObjectIdentifier: Cluster]>([:])

  func insert(_ cluster: Cluster) { clusters.withLock { $0[ObjectIdentifier(cluster)] = cluster } }

  func remove(_ cluster: Cluster) { _ = clusters.withLock { $0.removeValue(forKey: ObjectIdentifier(cluster)) } }
}
