// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A decision in a reviewer's list, without the decision itself. A golden case looks the same.
public struct ReviewItem: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The decision's id.
  public var decisionID: UUID
}

/// A reviewer's opinion about a decision.
public struct ReviewOpinion: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The id of the reviewed decision.
  public var decisionID: UUID
  /// The reviewer's treatment.
  public var treatment: Decision.Treatment
  /// A note for the person who settles a dispute.
  public var note: String?
  /// The reviewer's account.
  public var account: String
  /// When it was recorded.
  public var reviewedAt: Date

  /// - Throws: `RuleViolation` for a note that is too long.
  public init(
    number: Int64, decisionID: UUID, treatment: Decision.Treatment, note: String?, account: String, reviewedAt: Date
  ) throws(RuleViolation) {
    (self.number, self.decisionID, self.treatment) = (number, decisionID, treatment)
    self.note = try note.map { (text) throws(RuleViolation) in try RuleViolation.text(text, "note", atMost: 2_000) }
    (self.account, self.reviewedAt) = (account, reviewedAt)
  }
}

/// Result of recording an opinion.
public enum OpinionOutcome: Sendable, Equatable {
  /// The opinion is stored; also for a repeated call.
  case recorded
  /// Nothing is stored: somebody else was faster, or the decision is no longer in force.
  case closed
}

/// A decision and a different opinion about it.
public struct Dispute: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The decision's id.
  public var decisionID: UUID
  /// The account that decided.
  public var decidedBy: String
  /// Its treatment.
  public var treatment: Decision.Treatment
  /// The category of the decision, or of the reports at that time.
  public var category: ReportCategory?
  /// The reviewer's opinion.
  public var opinion: ReviewOpinion

  /// Whether an account may settle it: neither the author of the decision nor the reviewer.
  public func canBeSettled(by account: String) -> Bool { account != decidedBy && account != opinion.account }
}

/// Result of settling a dispute.
public enum SettlementOutcome: Sendable, Equatable {
  /// The decision is confirmed, or the new one is in force.
  case settled
  /// There is no such dispute any more.
  case closed
}

/// A decision whose treatment is certain.
public struct GoldenCase: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The decision's id.
  public var decisionID: UUID
  /// The treatment.
  public var treatment: Decision.Treatment
  /// The account that marked the case.
  public var markedBy: String
  /// When it was marked.
  public var markedAt: Date
  /// Answers so far.
  public var answers: Int
  /// Answers with the right treatment.
  public var right: Int
}

/// Reviewed decisions of one category, by the same author and reviewer with the same treatments, for the agreement.
public struct RatedDecisions: Sendable, Equatable {
  /// A treatment by an account.
  public struct Rating: Sendable, Equatable {
    /// The account.
    public var account: String
    /// Its treatment.
    public var treatment: Decision.Treatment
  }

  /// The category of the decisions, or of the reports at that time.
  public var category: ReportCategory?
  /// The treatments of the author and of the reviewer.
  public var ratings: [Rating]
  /// Number of decisions.
  public var count: Int
}

/// An account's figures in reviews.
public struct ReviewerRecord: Sendable, Equatable {
  /// The account.
  public var account: String
  /// Answers to golden cases.
  public var golden = 0
  /// Answers to golden cases with the right treatment.
  public var goldenRight = 0
  /// Reviews of other accounts' decisions.
  public var reviews = 0
  /// Reviews with the treatment of the decision.
  public var equal = 0
  /// Decisions of the account that were reviewed.
  public var reviewed = 0
  /// Decisions of the account that were confirmed.
  public var confirmed = 0
  /// Decisions of the account that were overruled.
  public var overruled = 0
}
