#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A value made at its first use, by whichever thread comes first.
final class Once<Value: Sendable>: @unchecked Sendable {
  // Unchecked: `stored` is touched under the lock only.
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

  func value<Failure: Error>(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    if let stored { return stored }
    let made = try make()
    stored = made
    return made
  }
}
