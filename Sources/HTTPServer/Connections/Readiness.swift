// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whether the server accepts new work; changes to stopping before the server closes.
package final class Readiness: Sendable {
  private let stopping = Atomic(false)

  /// Creates the ready state.
  package init() {}

  /// Makes `/readyz` fail and closes connections after their next response. Requests are still answered.
  package func stop() { stopping.store(true, ordering: .releasing) }

  /// Whether ``stop()`` has been called.
  package var isStopping: Bool { stopping.load(ordering: .acquiring) }
}
