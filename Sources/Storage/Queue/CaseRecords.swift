public import Curation
public import Foundation

/// Everything that a moderator is shown of one number.
public struct CaseFile: Sendable {
  /// The account of curation.
  public var explanation: Explanation
  /// What the queue has of it; nil where it does not wait.
  public var item: QueueCase?
  /// Who was not sure.
  public var passes: [String]
  /// All decisions, the oldest first.
  public var decisions: [DecisionEvent]
  /// What holds it, or has.
  public var hold: Hold?
  /// The oldest first.
  public var appeals: [Appeal]
  /// What directories call it, those with precedence first.
  public var names: [DirectoryName]
  /// The newest first, one more than ``CaseStore/comments`` where there are more.
  public var comments: [CaseComment]
  /// Those whose word weighs most first, at most ``CaseStore/reporters``.
  public var reporters: [CaseReporter]
  /// The hottest first, at most ``CaseStore/neighbours``.
  public var neighbours: [Neighbour]
  /// The last ``CaseStore/days`` days that had anything, ascending.
  public var days: [CaseDay]
  /// What moderators noted, the newest first.
  public var notes: [CaseNote]
  /// The block that it lies in, where one is proposed or decided about.
  public var range: ProposedRange?
}

/// What somebody said of a number.
public struct CaseComment: Sendable, Equatable {
  /// The words; whatever somebody typed.
  public var text: String
  /// When the report was said.
  public var reportedAt: Date
  /// What the number is said to be.
  public var category: ReportCategory
  /// Tells comments of the same moment apart.
  public var reportID: UUID
}

/// Where a page of comments ends, and the next begins.
public struct CommentPlace: Sendable, Equatable {
  /// Of the last comment.
  public var reportedAt: Date
  /// Of the last comment.
  public var reportID: UUID

  /// - Parameters: see the properties.
  public init(reportedAt: Date, reportID: UUID) {
    self.reportedAt = reportedAt
    self.reportID = reportID
  }
}

/// Somebody who spoke of a number. Nobody is named: four hexadecimal digits tell them apart.
public struct CaseReporter: Sendable, Equatable {
  /// Such as `7f3a`.
  public var pseudonym: String
  /// What the word weighs, 0 to 1.
  public var weight: Float
  /// What the number is said to be.
  public var category: ReportCategory
  /// Decisions on numbers that they had spoken of before.
  public var judged: Int
  /// Those that agreed.
  public var agreed: Int
}

/// A number of the same block of a hundred.
public struct Neighbour: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Stored heat; read it through `Decay`.
  public var heat: Double
  /// Reports that ever came.
  public var reports: Int64
  /// Whether the newest publication has it.
  public var isPublished: Bool
  /// What a decision says of it.
  public var decision: Decision.Treatment?
}

/// What happened on one day (UTC).
public struct CaseDay: Sendable, Equatable {
  /// Days since 1970-01-01.
  public var day: Int32
  /// Reports that stand and complain.
  public var complaints: Int
  /// Reports that stand and say that it is no nuisance.
  public var votes: Int
  /// Calls that phones told of.
  public var calls: Int64
}

/// What a moderator noted.
public struct CaseNote: Sendable, Equatable {
  /// The account's name.
  public var account: String
  /// The words.
  public var text: String
  /// When.
  public var writtenAt: Date
}
