public import Foundation

/// What became of something that was accepted earlier. Holds ids and reasons, never a number.
public enum ClientEvent: Sendable, Equatable {
  /// The server has a report, durably.
  case delivered(report: UUID)
  /// A report will never be taken, and was removed from the outbox.
  case dropped(report: UUID, reason: DropReason)
  /// The server has forgotten a report, or never had it.
  case withdrawn(report: UUID)
  /// The server has counted a batch of calls.
  case counted(batch: UUID)
  /// A batch of calls will never be counted, and was removed.
  case batchDropped(batch: UUID, reason: DropReason)
  /// The server turns the app's key away; all that waits goes on waiting.
  case keyRefused(KeyRefusal)
  /// So many bytes of the outbox's file belonged to no whole record and were left out; ``RingfenceClient/damage`` says
  /// more. What was accepted before a crash is never torn; a disk that fails can do it, to the records it hits.
  case damaged(bytes: Int)
}

/// Why something was dropped.
public enum DropReason: Sendable, Equatable {
  /// 409: the id was used for another content.
  case conflict
  /// 410: the report was withdrawn earlier.
  case withdrawn
  /// The server refuses the content: its field's rules by name, such as `number: not_valid`, or a status.
  case invalid(String)
}
