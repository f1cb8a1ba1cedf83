public import Foundation

/// What was wrong with the outbox's file when it was opened.
public struct OutboxDamage: Sendable, Equatable {
  /// Bytes that belong to no whole record, and were left out.
  public let bytes: Int
  /// The file as it was found; the next damage takes its place. It holds what users have reported: delete it when nobody
  /// will look at it. Nil where only the beginning of a record was cut off the end: the app died while it was being
  /// written, and nobody had been told that it was accepted.
  public let copy: URL?
}
