// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A background job: ordered on a page and done by any server; every server can read its progress.
public struct BackgroundJob: Sendable, Equatable {
  /// The kind of a job. Only one job of a kind runs at a time across all servers.
  public enum Kind: String, Sendable {
    /// A preview of changed thresholds; at most one for each account.
    case preview
    /// A publication; at most one is open.
    case publication
  }

  /// The job's state.
  public enum State: String, Sendable {
    /// No server has started it.
    case waiting
    /// A server runs it.
    case running
    /// It has finished.
    case done
    /// It has failed.
    case failed
    /// Its server was lost, or no server started it in time.
    case broken
  }

  /// Identifies the job; a job that replaces it has another id.
  public var id: UUID
  /// The job's kind.
  public var kind: Kind
  /// The account that ordered the job, 1 to 80 characters.
  public var account: String
  /// The request: JSON of at most ``mostRequest`` bytes.
  public var request: String
  /// The job's state.
  public var state: State
  /// When the job was ordered: by this server's clock until it is stored, then by the database clock.
  public var askedAt: Date
  /// The current step; nil before the first one.
  public var step: JobStep?
  /// Number of jobs of its kind that run before it.
  public var ahead: Int
  /// The outcome: JSON of at most ``mostOutcome`` bytes; nil where there is none, or it was not read.
  public var outcome: String?

  /// The longest request, in bytes.
  public static let mostRequest = 65_536
  /// The longest outcome, in bytes.
  public static let mostOutcome = 1_048_576

  /// A new job.
  public init(id: UUID = UUID(), kind: Kind, account: String, request: String) {
    self.init(
      id: id, kind: kind, account: account, request: request, state: .waiting, askedAt: Date(), step: nil, ahead: 0,
      outcome: nil)
  }

  init(
    id: UUID, kind: Kind, account: String, request: String, state: State, askedAt: Date, step: JobStep?, ahead: Int,
    outcome: String?
  ) {
    self.id = id
    self.kind = kind
    self.account = account
    self.request = request
    self.state = state
    self.askedAt = askedAt
    self.step = step
    self.ahead = ahead
    self.outcome = outcome
  }
}
