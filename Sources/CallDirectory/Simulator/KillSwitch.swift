// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Ends a simulated process at a chosen step. After that step, nothing that the process does has an effect.
///
/// A step is a call to the context or one durable operation of the store. Steps of a killed process are skipped, so a
/// test may let the code run on.
public final class KillSwitch: @unchecked Sendable {
  // Unchecked: both counters are accessed only under the lock.
  private let lock = NSLock()
  private var remaining: Int
  private var count = 0

  /// Creates a process that is killed at a step.
  /// - Parameter steps: the step that has no effect, from 0; `Int.max` for never.
  public init(at steps: Int = .max) { remaining = steps }

  /// Counts a step.
  /// - Returns: false when the process is dead and the step must have no effect.
  public func step() -> Bool {
    lock.withLock {
      guard remaining > 0 else { return false }
      if remaining != .max { remaining -= 1 }
      count += 1
      return true
    }
  }

  /// Whether the process is dead.
  public var isDead: Bool { lock.withLock { remaining == 0 } }

  /// The number of steps that had an effect.
  public var steps: Int { lock.withLock { count } }
}
