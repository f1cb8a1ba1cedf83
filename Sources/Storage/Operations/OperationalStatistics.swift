public import Foundation

/// What an operator watches in the database.
public struct OperationalStatistics: Sendable, Equatable {
  /// The newest publication that became visible.
  public struct Newest: Sendable, Equatable {
    /// Its serial.
    public var serial: Int64
    /// When it became visible.
    public var publishedAt: Date
    /// Of all packs.
    public var entries: Int64
    /// Of all packs' files.
    public var bytes: Int64
  }

  /// A pack of it.
  public struct Pack: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// Number of entries.
    public var entries: Int64
    /// Length of the file.
    public var bytes: Int64
  }

  /// How many attempts to publish ended so.
  public struct Runs: Sendable, Equatable {
    /// As ``PublicationRun/State`` has it.
    public var state: String
    /// As ``PublicationRun/Cause`` has it.
    public var cause: String
    /// How many.
    public var count: Int64
  }

  /// Things that wait for somebody.
  public struct Waiting: Sendable, Equatable {
    /// How many.
    public var count: Int64
    /// Since when the oldest waits; nil where none does.
    public var oldest: Date?
  }

  /// Nil before the first.
  public var newest: Newest?
  /// The first hundred by name.
  public var packs: [Pack]
  /// All there were.
  public var runs: [Runs]
  /// Gates that the last attempt did not pass and nobody overruled.
  public var failedGates: Int64
  /// Messages that are not delivered.
  public var webhooks: Waiting
  /// Single numbers that are to be published.
  public var revocations: Waiting
  /// Cases for moderators.
  public var reviewQueue: Waiting
  /// Months of reports.
  public var partitions: Int64
}
