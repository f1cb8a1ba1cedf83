// SPDX-License-Identifier: Apache-2.0

/// The leased connections and waiting tasks of a pool; guarded by the pool's lock.
struct PoolState {
  enum Grant {
    /// A connection that was idle, or was just returned.
    case connection(PostgresConnection)
    /// Permission to open a connection.
    case slot
  }

  struct Waiter {
    let id: UInt64
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Grant, any Error>
  }

  let maximum: Int
  var idle: [PostgresConnection] = []
  /// Number of connections that are leased or being opened.
  var leased = 0
  var isShutDown = false
  var hasTimer = false
  var endings: [CheckedContinuation<Void, Never>] = []
  private var waiters: [Waiter] = []
  private var head = 0

  init(maximum: Int) { self.maximum = maximum }

  var waiterCount: Int { waiters.count - head }
  var nextDeadline: ContinuousClock.Instant? { waiterCount > 0 ? waiters[head].deadline : nil }

  /// A grant that is available at once; nil where tasks are waiting or the pool is exhausted.
  mutating func take() -> Grant? {
    guard waiterCount == 0 else { return nil }
    if let connection = idle.popLast() {
      leased += 1
      return .connection(connection)
    }
    guard leased < maximum else { return nil }
    leased += 1
    return .slot
  }

  mutating func append(_ waiter: Waiter) { waiters.append(waiter) }

  mutating func popWaiter() -> Waiter? {
    guard head < waiters.count else { return nil }
    defer {
      head += 1
      if head > 32, head * 2 > waiters.count {
        waiters.removeFirst(head)
        head = 0
      }
    }
    return waiters[head]
  }

  mutating func removeWaiter(_ id: UInt64) -> Waiter? {
    guard let index = waiters[head...].firstIndex(where: { $0.id == id }) else { return nil }
    return waiters.remove(at: index)
  }
}
