internal import Foundation

/// Ends a simulated process at a chosen step: from then on nothing it does has an effect.
///
/// A step is a call to the context or one durable operation of the store. What a killed process would not
/// have done is simply not done, so that a test may let the code run on.
public final class KillSwitch: @unchecked Sendable {
  // Both counters are touched under the lock only.
  private let lock = NSLock()
  private var remaining: Int
  private var count = 0

  /// A process that dies instead of its step `steps` (0 is the first); `Int.max` never.
  public init(at steps: Int = .max) { remaining = steps }

  /// Counts a step; false when the process is dead and the step must have no effect.
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

  /// Steps that had an effect.
  public var steps: Int { lock.withLock { count } }
}
