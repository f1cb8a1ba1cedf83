public import Foundation
import Synchronization

/// Which keys were used, until somebody writes it down: requests never wait for that.
public final class KeyUseCounter: Sendable {
  private let latest = Mutex<[Int32: Date]>([:])

  /// Nothing noted.
  public init() {}

  /// Notes that a key was used; only of keys that exist, so that strangers cannot fill it.
  public func note(_ keyID: Int32, at time: Date) {
    latest.withLock { $0[keyID] = max($0[keyID] ?? time, time) }
  }

  /// What was noted since the last call.
  public func take() -> [(key: Int32, time: Date)] {
    let taken = latest.withLock { latest in
      defer { latest = [:] }
      return latest
    }
    return taken.map { (key: $0.key, time: $0.value) }
  }
}
