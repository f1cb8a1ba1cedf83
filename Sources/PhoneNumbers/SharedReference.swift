// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#else
  import Synchronization
#endif

/// A reference that is made at its first use, or replaced, and read from any thread.
///
/// Reading needs no lock, except on Apple's platforms, whose older versions have no atomic values.
struct SharedReference<Value: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
  #if canImport(Darwin)
    // Unchecked: `stored` is accessed only under the lock.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let stored: UnsafeMutablePointer<Unmanaged<Value>?>

    init() {
      (lock, stored) = (.allocate(capacity: 1), .allocate(capacity: 1))
      lock.initialize(to: pthread_mutex_t())
      pthread_mutex_init(lock, nil)
      stored.initialize(to: nil)
    }

    deinit {
      stored.pointee?.release()
      stored.deallocate()
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return body()
    }

    private var last: Unmanaged<Value>? { withLock { stored.pointee } }

    /// Stores a value unless there is one, and returns the stored one.
    @discardableResult
    func set(_ value: Value) -> Value {
      withLock {
        let kept = stored.pointee ?? Unmanaged.passRetained(value)
        stored.pointee = kept
        return kept.takeUnretainedValue()
      }
    }

    /// Stores another value. The former one stays in memory, because a thread may be about to use it.
    func replace(by value: Value) { withLock { stored.pointee = Unmanaged.passRetained(value) } }
  #else
    private let atomic = Atomic<Unmanaged<Value>?>(nil)

    init() {}

    deinit { last?.release() }

    private var last: Unmanaged<Value>? { atomic.load(ordering: .acquiring) }

    /// Stores a value unless there is one, and returns the stored one.
    @discardableResult
    func set(_ value: Value) -> Value {
      let new = Unmanaged.passRetained(value)
      let (isStored, other) = atomic.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing)
      guard !isStored, let other else { return value }
      new.release()
      return other.takeUnretainedValue()
    }

    /// Stores another value. The former one stays in memory, because a thread may be about to use it.
    func replace(by value: Value) {
      _ = atomic.exchange(Unmanaged.passRetained(value), ordering: .acquiringAndReleasing)
    }
  #endif

  var value: Value? { last?.takeUnretainedValue() }

  /// Calls a closure with the value without counting a reference, which threads that read at once would contend for.
  func withValue<Result>(_ body: (Value) -> Result) -> Result? { last?._withUnsafeGuaranteedRef(body) }
}

/// Memory of values that are read without counting references: it is freed at the end of this object, which must outlive
/// every use of them.
final class PlanMemory: @unchecked Sendable {
  // Unchecked: filled before it is shared.
  private var ends: [() -> Void] = []

  deinit { for end in ends { end() } }

  func keep<Value>(_ values: [Value]) -> UnsafeBufferPointer<Value> {
    let kept = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
    _ = kept.initialize(from: values)
    ends.append {
      kept.deinitialize()
      kept.deallocate()
    }
    return UnsafeBufferPointer(kept)
  }

  func keep<Value: ~Copyable>(_ value: consuming Value) -> UnsafePointer<Value> {
    let kept = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    kept.initialize(to: value)
    ends.append {
      kept.deinitialize(count: 1)
      kept.deallocate()
    }
    return UnsafePointer(kept)
  }
}
