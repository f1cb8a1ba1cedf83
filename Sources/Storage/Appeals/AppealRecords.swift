public import Curation
public import Foundation

/// What became of an appeal that was sent in.
public enum FilingOutcome: Sendable, Equatable {
  /// It is the first about the number.
  case filed
  /// Another one about the number was open; it is answered with that.
  case joined
  /// This very filing, with this ticket, is kept already.
  case filedBefore
  /// The form had been used before; nothing was kept.
  case stampSpent
  /// So many people have appealed about the number that another one's words would not be read; nothing was kept, and
  /// the form can be sent again.
  case crowded
}

/// What the holder of a ticket may see.
public struct AppealStatus: Sendable, Equatable {
  /// The appeal; its statement is the ticket holder's own.
  public var appeal: Appeal
  /// How the newest publication lists the number; nil where it does not.
  public var listing: Explanation.Listing?
  /// Whether the number is named and not blocked for as long as the appeal is not rejected; see `Spoofing`.
  public var isVictim: Bool
  /// Whether a decision has allowed the number.
  public var isAllowed: Bool
}

/// What one person said in an appeal.
public struct FiledStatement: Sendable, Equatable {
  /// The appeal that it belongs to.
  public var appealID: UUID
  /// The words.
  public var statement: String
  /// When they came.
  public var filedAt: Date
  /// How the person may be reached; nil where nothing was given, or it was forgotten.
  public var contact: String?
}

/// A place in the list of appeals.
public struct AppealCursor: Sendable, Equatable {
  /// When the last one was filed, or, among answered ones, answered.
  public var time: Date
  /// Its number.
  public var number: Int64
  /// Its id.
  public var id: UUID

  /// - Parameters: see the properties.
  public init(time: Date, number: Int64, id: UUID) {
    self.time = time
    self.number = number
    self.id = id
  }
}

/// What became of an answer.
public enum AnswerOutcome: Sendable, Equatable {
  /// It was given to so many appeals about the number.
  case answered(Int)
  /// None about the number was open: somebody else was quicker.
  case nothingOpen
  /// Another appeal has come since the moderator looked; nothing was answered.
  case changed
}
