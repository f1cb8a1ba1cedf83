// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A flag that is set once and visible to all threads; for blocking work outside tasks.
package final class CancellationFlag: Sendable {
  private let value = Atomic(false)

  package init() {}

  package var isSet: Bool { value.load(ordering: .relaxed) }

  package func set() { value.store(true, ordering: .relaxed) }
}
