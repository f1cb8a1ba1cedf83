public import Foundation

/// What one attempt to send came to.
public struct FlushResult: Sendable, Equatable {
  /// Reports that the server has durably by now.
  public var delivered = 0
  /// Reports and batches that will never be taken, and are gone.
  public var dropped = 0
  /// Reports, withdrawals and batches that still wait.
  public var waiting = 0
  /// When to try again; nil when nothing waits.
  public var nextAttempt: Date?
}
