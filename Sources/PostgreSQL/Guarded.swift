/// A value behind a lock that the thread sanitizer knows, which the standard library's `Mutex` on Linux is not.
final class Guarded<Value>: @unchecked Sendable {
  private let lock = ConditionLock()
  private var value: Value

  init(_ value: sending Value) { self.value = value }

  func withLock<T>(_ body: (inout Value) throws -> T) rethrows -> T {
    try lock.withLock { try body(&value) }
  }
}
