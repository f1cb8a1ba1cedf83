// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that is created on first use.
package final class LazyValue<Value: Sendable>: Sendable {
  private let stored = Mutex<Value?>(nil)

  package init() {}

  /// The value; nil before it is created.
  package var value: Value? { stored.withLock { $0 } }

  /// - Parameter make: runs under the lock, once.
  package func makeIfNeeded(_ make: () -> Value) -> Value {
    stored.withLock { stored in
      let value = stored ?? make()
      stored = value
      return value
    }
  }
}
