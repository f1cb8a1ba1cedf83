// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The outcome of a report, a withdrawal or a batch that was accepted earlier. It contains ids and reasons, never a
/// number.
public enum ClientEvent: Sendable, Equatable {
  /// The server has stored a report.
  case delivered(report: UUID)
  /// The server will never accept a report, which was removed from the outbox.
  case dropped(report: UUID, reason: DropReason)
  /// The server has deleted a report, or never had it.
  case withdrawn(report: UUID)
  /// The server has counted a batch of calls.
  case counted(batch: UUID)
  /// The server will never accept a batch of calls, which was removed from the outbox.
  case batchDropped(batch: UUID, reason: DropReason)
  /// The server refused the app's key. Everything in the outbox keeps waiting.
  case keyRefused(KeyRefusal)
  /// This number of bytes in the outbox's file belonged to no complete record and was skipped;
  /// ``RingfenceClient/damage`` has details. A crash never damages accepted records; a faulty disk may.
  case damaged(bytes: Int)
}

/// The reason why a report or a batch was dropped.
public enum DropReason: Sendable, Equatable {
  /// Status 409: the id was used for another content.
  case conflict
  /// Status 410: the report was withdrawn earlier.
  case withdrawn
  /// The server refused the content: the rules of its fields by name, such as `number: not_valid`, or a status.
  case invalid(String)
}

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
