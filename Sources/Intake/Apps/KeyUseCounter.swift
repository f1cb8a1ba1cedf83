// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// The latest use of each key until it is stored: requests never wait for that.
public final class KeyUseCounter: Sendable {
  private let latest = Mutex<[Int32: Date]>([:])

  public init() {}

  /// Records that a key was used; only for existing keys, so that unknown clients cannot fill it.
  public func note(_ keyID: Int32, at time: Date) {
    latest.withLock { $0[keyID] = max($0[keyID] ?? time, time) }
  }

  /// The uses since the last call.
  public func take() -> [(key: Int32, time: Date)] {
    let taken = latest.withLock { latest in
      defer { latest = [:] }
      return latest
    }
    return taken.map { (key: $0.key, time: $0.value) }
  }
}
