// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

/// A reporter in a list: pseudonym and figures.
public struct ReporterLine: Sendable, Equatable {
  /// The reporter's record.
  public var record: ReporterRecord
  /// Whether the reporter was established at the last recount.
  public var isEstablished: Bool
  /// The weight of the reporter's votes, 0 to 1.
  public var weight: Double
}

/// A cursor in a list of reporters.
public struct ReporterCursor: Sendable, Equatable {
  /// The last reporter's rank: the count of bursts, or of compared decisions.
  public var rank: Int32
  /// The last reporter.
  public var reporter: Reporter

  /// - Parameters: see the properties.
  public init(rank: Int32, reporter: Reporter) {
    self.rank = rank
    self.reporter = reporter
  }
}

/// Number of reporters by kind.
public struct ReporterCounts: Sendable, Equatable {
  /// Reporters with more than a newcomer's record.
  public var known: Int64 = 0
  /// Reporters whose first report is two weeks old or older, and who reported three numbers or more.
  public var established: Int64 = 0
  /// Reporters with enough compared decisions for their own weight.
  public var judged: Int64 = 0
  /// Reporters in a burst against a number that a moderator then allowed.
  public var caught: Int64 = 0
  /// When a recount last changed something; nil before that.
  public var recountedAt: Date?
}

extension ReporterStore {
  /// Reporters in a burst against a number that was then allowed; most bursts first.
  public func caught(after: ReporterCursor?, limit: Int) async throws -> [ReporterLine] {
    try await pool.run(SQL.readCaughtReporters(after: after, limit: limit))
  }

  /// Reporters with compared decisions; most comparisons first.
  public func judged(after: ReporterCursor?, limit: Int) async throws -> [ReporterLine] {
    try await pool.run(SQL.readJudgedReporters(after: after, limit: limit))
  }

  /// Number of reporters by kind.
  public func counts() async throws -> ReporterCounts {
    try await pool.run(SQL.countReporters()).first ?? ReporterCounts()
  }
}
