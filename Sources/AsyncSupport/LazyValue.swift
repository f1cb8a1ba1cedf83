import Synchronization

/// A value that the first task that needs it makes.
package final class LazyValue<Value: Sendable>: Sendable {
  private let stored = Mutex<Value?>(nil)

  package init() {}

  /// The value; nil while it is not made.
  package var value: Value? { stored.withLock { $0 } }

  /// Returns the value, and makes it first where it is missing.
  /// - Parameter make: runs under the lock, once.
  package func makeIfNeeded(_ make: () -> Value) -> Value {
    stored.withLock { stored in
      let value = stored ?? make()
      stored = value
      return value
    }
  }
}
