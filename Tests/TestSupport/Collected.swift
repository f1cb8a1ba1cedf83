// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Collects elements that are passed one by one.
package final class Collected<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  package init() {}

  package func add(_ more: [Element]) { elements.withLock { $0 += more } }

  package var all: [Element] { elements.withLock { $0 } }
}
