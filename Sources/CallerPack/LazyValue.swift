// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A value that is created at its first use, by the first thread that needs it.
final class LazyValue<Value: Sendable>: @unchecked Sendable {
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

  /// Returns the value; creates it at the first call. An error of `make` is rethrown, and the next call tries again.
  func value<Failure: Error>(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    if let stored { return stored }
    let made = try make()
    stored = made
    return made
  }
}
