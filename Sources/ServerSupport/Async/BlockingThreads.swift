// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs `body` on a new detached thread.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let box = Unmanaged.passRetained(Box(body))
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  #if canImport(Darwin)
    var thread: pthread_t?
    let code = pthread_create(
      &thread, &attributes,
      { pointer in
        Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
  #else
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
  #endif
  pthread_attr_destroy(&attributes)
  precondition(code == 0, "the system refused a thread")
}

/// Runs blocking work on a new thread, and waits for its end.
package func runOnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    startThread { continuation.resume(with: Result(catching: work)) }
  }
}

/// A mutex with a condition, for threads that may block. Where nothing waits, use the standard library's `Mutex`.
package final class ConditionLock: @unchecked Sendable {
  // Unchecked: both pointers are set once, and POSIX makes the objects thread-safe.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func withLock<T>(_ body: () throws -> T) rethrows -> T {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Waits for a signal; the lock must be held.
  package func wait() { pthread_cond_wait(condition, mutex) }

  /// Waits for a signal for at most some milliseconds; the lock must be held.
  package func wait(milliseconds: Int) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let nanoseconds = now.tv_nsec + (milliseconds % 1_000) * 1_000_000
    now.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
    now.tv_nsec = nanoseconds % 1_000_000_000
    pthread_cond_timedwait(condition, mutex, &now)
  }

  package func signal() { pthread_cond_signal(condition) }
  package func broadcast() { pthread_cond_broadcast(condition) }
}

/// A flag that is set once and visible to all threads; for blocking work outside tasks.
package final class CancellationFlag: Sendable {
  private let value = Atomic(false)

  package init() {}

  package var isSet: Bool { value.load(ordering: .relaxed) }

  package func set() { value.store(true, ordering: .relaxed) }
}
