// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#else
  import Synchronization
#endif

/// A reference that is made at its first use, or replaced, and read from any thread.
///
/// Reading needs no lock, except on Apple's platforms, whose older versions have no atomic values.
final class SharedReference<Value: AnyObject & Sendable>: @unchecked Sendable {
  #if canImport(Darwin)
    // Unchecked: `stored` is accessed only under the lock.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var stored: Value?

    init() {
      lock = .allocate(capacity: 1)
      lock.initialize(to: pthread_mutex_t())
      pthread_mutex_init(lock, nil)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return body()
    }

    var value: Value? { withLock { stored } }

    /// Stores a value unless there is one, and returns the stored one.
    @discardableResult
    func set(_ value: Value) -> Value {
      withLock {
        let kept = stored ?? value
        stored = kept
        return kept
      }
    }

    func replace(by value: Value) { withLock { stored = value } }
  #else
    private let last = Atomic<Unmanaged<Value>?>(nil)

    init() {}

    deinit { last.load(ordering: .acquiring)?.release() }

    var value: Value? { last.load(ordering: .acquiring)?.takeUnretainedValue() }

    /// Stores a value unless there is one, and returns the stored one.
    @discardableResult
    func set(_ value: Value) -> Value {
      let new = Unmanaged.passRetained(value)
      let (isStored, other) = last.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing)
      guard !isStored, let other else { return value }
      new.release()
      return other.takeUnretainedValue()
    }

    /// Stores another value. The former one stays in memory, because a thread may be about to use it.
    func replace(by value: Value) {
      _ = last.exchange(Unmanaged.passRetained(value), ordering: .acquiringAndReleasing)
    }
  #endif
}
