// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The outcome of one attempt to send.
public struct FlushResult: Sendable, Equatable {
  /// The number of reports that the server has stored.
  public var delivered = 0
  /// The number of reports and batches that the server will never accept, and that were removed.
  public var dropped = 0
  /// The number of reports, withdrawals and batches that still wait.
  public var waiting = 0
  /// The time of the next attempt; nil when nothing waits.
  public var nextAttempt: Date?
}
