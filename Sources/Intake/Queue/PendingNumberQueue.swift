import Synchronization

/// Numbers of which something was committed and that have not been judged since: bounded, and nobody waits for it.
///
/// What does not fit is forgotten; the queue's sweep finds it.
public final class PendingNumberQueue: Sendable {
  private let numbers = Mutex<Set<Int64>>([])
  private let capacity: Int

  /// - Parameter capacity: the most that are remembered, at about 20 bytes each.
  public init(capacity: Int = 100_000) {
    self.capacity = capacity
  }

  /// How many are remembered.
  public var count: Int { numbers.withLock { $0.count } }

  /// Remembers numbers while there is room.
  public func insert(_ new: [Int64]) {
    numbers.withLock { numbers in
      for number in new where numbers.count < capacity { numbers.insert(number) }
    }
  }

  /// Hands over some of them and forgets these.
  /// - Parameter limit: the most, at least 1.
  public func take(_ limit: Int) -> [Int64] {
    numbers.withLock { numbers in
      guard numbers.count > limit else {
        defer { numbers.removeAll(keepingCapacity: true) }
        return Array(numbers)
      }
      let some = Array(numbers.prefix(limit))
      numbers.subtract(some)
      return some
    }
  }
}
