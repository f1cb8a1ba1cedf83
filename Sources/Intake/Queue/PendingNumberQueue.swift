// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Numbers with committed reports that were not evaluated since: bounded, and no caller waits for it.
///
/// Numbers beyond the capacity are dropped; the queue's sweep finds them.
public final class PendingNumberQueue: Sendable {
  private let numbers = Mutex<Set<Int64>>([])
  private let lastInsert = Mutex<ContinuousClock.Instant?>(nil)
  private let capacity: Int

  /// - Parameter capacity: the most numbers, at about 20 bytes each.
  public init(capacity: Int = 100_000) {
    self.capacity = capacity
  }

  /// Whether reports arrived within the last second.
  public var isReceiving: Bool { lastInsert.withLock { $0.map { .now - $0 < .seconds(1) } ?? false } }

  /// Adds numbers up to the capacity.
  public func insert(_ new: [Int64]) {
    lastInsert.withLock { $0 = .now }
    numbers.withLock { numbers in
      for number in new where numbers.count < capacity { numbers.insert(number) }
    }
  }

  /// - Parameter limit: the most numbers, at least 1.
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
