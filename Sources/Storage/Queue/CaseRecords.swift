// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// All data of one number that a moderator sees.
public struct CaseFile: Sendable {
  /// The explanation of its listing.
  public var explanation: Explanation
  /// Its case; nil where it is not in the queue.
  public var item: QueueCase?
  /// The accounts that passed it on.
  public var passes: [String]
  /// All decisions, the oldest first.
  public var decisions: [DecisionEvent]
  /// Its hold, settled or not.
  public var hold: Hold?
  /// Its appeals, the oldest first.
  public var appeals: [Appeal]
  /// Its names in directories, those with precedence first.
  public var names: [DirectoryName]
  /// A protected number in the same block of 100; nil where there is none.
  public var protectedNeighbour: Protection?
  /// How its complaints are concentrated.
  public var concentration: CaseConcentration
  /// The newest publication; nil before the first.
  public var newestSerial: Int64?
  /// Its comments in groups of one text, the largest groups first; one more than ``CaseStore/comments`` where there are
  /// more.
  public var comments: [CaseComment]
  /// Its reporters, those with the greatest weight first, at most ``CaseStore/reporters``.
  public var reporters: [CaseReporter]
  /// Numbers of the same block of 100, the hottest first, at most ``CaseStore/neighbours``.
  public var neighbours: [Neighbour]
  /// The last ``CaseStore/days`` days, ascending, without days that had neither reports nor calls.
  public var days: [CaseDay]
  /// Notes of moderators, the newest first.
  public var notes: [CaseNote]
  /// The range that contains it, where one is proposed or decided.
  public var range: ProposedRange?
}

/// Comments on a number that have the same text, apart from case, spaces and punctuation.
public struct CaseComment: Sendable, Equatable {
  /// The text of the newest one, unchecked.
  public var text: String
  /// Number of comments.
  public var count: Int
  /// When the newest report was made.
  public var reportedAt: Date
  /// The most frequent category of the reports.
  public var category: ReportCategory
  /// The newest report; distinguishes comments of the same time.
  public var reportID: UUID
  /// The reporters of the comments whose votes are stored, by weight.
  public var reporters: Explanation.Weights
}

/// The cursor of the next page of comments.
public struct CommentPlace: Sendable, Equatable {
  /// Of the last group on the page.
  public var count: Int64
  /// Of the last group on the page.
  public var reportedAt: Date
  /// Of the last group on the page.
  public var reportID: UUID

  /// - Parameters: see the properties.
  public init(count: Int64, reportedAt: Date, reportID: UUID) {
    self.count = count
    self.reportedAt = reportedAt
    self.reportID = reportID
  }
}

/// How the complaints about a number are concentrated.
public struct CaseConcentration: Sendable, Equatable {
  /// Reporters with a complaint whose network is stored; networks are deleted after 30 days.
  public var networked = 0
  /// Reporters with a complaint from the network with the most of them.
  public var sameNetwork = 0
  /// Reporters with a complaint that has a comment.
  public var commenting = 0
  /// Reporters with a complaint of the most frequent text.
  public var sameText = 0
  /// The most frequent text of a complaint; empty for none.
  public var text = ""
  /// The most frequent category of the complaints with this text.
  public var textCategory: ReportCategory?
}

/// A reporter of a number. Four hexadecimal digits of the pseudonym distinguish reporters.
public struct CaseReporter: Sendable, Equatable {
  /// The first four hexadecimal digits, such as `7f3a`.
  public var pseudonym: String
  /// The weight of the vote, 0 to 1.
  public var weight: Float
  /// The category of the report.
  public var category: ReportCategory
  /// Number of decisions on numbers that the reporter had reported before.
  public var judged: Int
  /// Number of those decisions that agreed with the reporter.
  public var agreed: Int
}

/// A number in the same block of 100.
public struct Neighbour: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Stored heat; read it through `Decay`.
  public var heat: Double
  /// Number of reports so far.
  public var reports: Int64
  /// Whether the newest publication lists it.
  public var isPublished: Bool
  /// The treatment of the decision in force; nil for none.
  public var decision: Decision.Treatment?
  /// Whether a rule against brigading holds it.
  public var isHeld: Bool
  /// Whether it waits in the queue.
  public var isWaiting: Bool
}

/// Reports and calls of one day (UTC).
public struct CaseDay: Sendable, Equatable {
  /// Days since 1970-01-01.
  public var day: Int32
  /// Complaints that are not withdrawn.
  public var complaints: Int
  /// Reports of "legitimate" that are not withdrawn.
  public var votes: Int
  /// Calls that phones counted.
  public var calls: Int64
}

/// A moderator's note.
public struct CaseNote: Sendable, Equatable {
  /// The account's name.
  public var account: String
  /// The text.
  public var text: String
  /// When it was written.
  public var writtenAt: Date
}
