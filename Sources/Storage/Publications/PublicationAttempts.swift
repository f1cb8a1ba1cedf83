// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Attempts at a publication since it was due.
public struct PublicationAttempts: Sendable, Equatable {
  /// Published runs.
  public var published: Int
  /// Runs that a gate refused.
  public var refused: Int
  /// Runs in progress.
  public var running: Int
  /// Failed runs of the schedule.
  public var failed: Int
  /// Seconds since the last failure, by the database clock; nil where there was none.
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
