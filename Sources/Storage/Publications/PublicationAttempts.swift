public import Foundation

/// What has been tried since a publication was due.
public struct PublicationAttempts: Sendable, Equatable {
  /// Publications that are visible.
  public var published: Int
  /// Those that a gate holds back.
  public var refused: Int
  /// Those that are being made.
  public var running: Int
  /// Those of the schedule that were broken off.
  public var failed: Int
  /// Seconds since the last was broken off, by the database's clock; nil where none was.
  public var sinceFailure: TimeInterval?

  /// - Parameters: see the properties.
  public init(
    published: Int = 0, refused: Int = 0, running: Int = 0, failed: Int = 0, sinceFailure: TimeInterval? = nil
  ) {
    self.published = published
    self.refused = refused
    self.running = running
    self.failed = failed
    self.sinceFailure = sinceFailure
  }
}
