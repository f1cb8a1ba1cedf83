import Synchronization

/// A value that is made when it is first wanted, by whichever task wants it.
final class Later<Value: Sendable>: Sendable {
  private let stored = Mutex<Value?>(nil)

  /// The value, where it was made.
  var value: Value? { stored.withLock { $0 } }

  /// The value, made now where it was not.
  func orMade(_ make: () -> Value) -> Value {
    stored.withLock { stored in
      let value = stored ?? make()
      stored = value
      return value
    }
  }
}
