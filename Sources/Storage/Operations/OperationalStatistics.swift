// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Figures of the database for operators.
public struct OperationalStatistics: Sendable, Equatable {
  /// The newest publication that became visible.
  public struct Newest: Sendable, Equatable {
    /// Its serial.
    public var serial: Int64
    /// When it became visible.
    public var publishedAt: Date
    /// Number of entries in all packs.
    public var entries: Int64
    /// Total size of the pack files in bytes.
    public var bytes: Int64
  }

  /// A pack of the newest publication.
  public struct Pack: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// Number of entries.
    public var entries: Int64
    /// Size of the file in bytes.
    public var bytes: Int64
  }

  /// Number of finished publication runs with one state and cause.
  public struct Runs: Sendable, Equatable {
    /// Raw value of ``PublicationRun/State``.
    public var state: String
    /// Raw value of ``PublicationRun/Cause``.
    public var cause: String
    /// Their number.
    public var count: Int64
  }

  /// Items that wait to be processed.
  public struct Waiting: Sendable, Equatable {
    /// Their number.
    public var count: Int64
    /// When the oldest item was added; nil where none waits.
    public var oldest: Date?
  }

  /// A source that is downloaded.
  public struct Source: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// When it was read last; nil where it was not yet.
    public var refreshedAt: Date?
    /// Its entries.
    public var entries: Int64
    /// Failed attempts since the last success.
    public var failures: Int64
    /// Its numbers that decisions block or identify.
    public var confirmed: Int64
    /// Its numbers that decisions allow.
    public var wrong: Int64
    /// Whether it is suspended.
    public var isSuspended: Bool
  }

  /// The newest publication; nil before the first.
  public var newest: Newest?
  /// Its first hundred packs by name.
  public var packs: [Pack]
  /// All finished runs.
  public var runs: [Runs]
  /// Gates that the last finished run did not pass and nobody overrode.
  public var failedGates: Int64
  /// Webhook messages that are not delivered.
  public var webhooks: Waiting
  /// Open revocations.
  public var revocations: Waiting
  /// Cases in the review queue.
  public var reviewQueue: Waiting
  /// Sources whose last download succeeded, or that wait for the first one.
  public var goodSources: Int64
  /// Sources whose last download failed.
  public var failingSources: Int64
  /// When the source was read that was read the longest time ago; nil where there is none.
  public var oldestSource: Date?
  /// The first hundred sources by name.
  public var sources: [Source]
  /// Number of monthly partitions of reports.
  public var partitions: Int64
}
