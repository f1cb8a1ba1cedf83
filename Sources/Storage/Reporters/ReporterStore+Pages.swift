public import Curation
public import Foundation
import PostgreSQL

/// A reporter as a list shows one: a pseudonym and figures.
public struct ReporterLine: Sendable, Equatable {
  /// What is known.
  public var record: ReporterRecord
  /// Whether the reporter was no newcomer at the last recount.
  public var isEstablished: Bool
  /// What the reporter's word weighs, 0 to 1.
  public var weight: Double
}

/// A place in a list of reporters.
public struct ReporterCursor: Sendable, Equatable {
  /// What the list is ordered by: bursts, or decisions.
  public var rank: Int32
  /// Whom it comes after.
  public var reporter: Reporter

  /// - Parameters: see the properties.
  public init(rank: Int32, reporter: Reporter) {
    self.rank = rank
    self.reporter = reporter
  }
}

/// How many reporters are known for what.
public struct ReporterCounts: Sendable, Equatable {
  /// All of whom more is known than of a newcomer.
  public var known: Int64 = 0
  /// Those who spoke first two weeks ago or longer, and of three numbers or more.
  public var established: Int64 = 0
  /// Those whom enough decisions have judged for their weight to differ.
  public var judged: Int64 = 0
  /// Those who took part in a burst against a number that a moderator found to be fine.
  public var caught: Int64 = 0
  /// When the last recount found something to change; nil before the first.
  public var recountedAt: Date?
}

extension ReporterStore {
  /// Reporters who took part in a burst against a fine number; most bursts first.
  public func caught(after: ReporterCursor?, limit: Int) async throws -> [ReporterLine] {
    try await pool.run(ReadCaughtReporters(after: after, limit: limit))
  }

  /// Reporters whom decisions have judged; those most often judged first.
  public func judged(after: ReporterCursor?, limit: Int) async throws -> [ReporterLine] {
    try await pool.run(ReadJudgedReporters(after: after, limit: limit))
  }

  /// How many reporters are known for what.
  public func counts() async throws -> ReporterCounts {
    try await pool.run(CountReporters()).first ?? ReporterCounts()
  }
}
