// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// Result of filing an appeal.
public enum FilingOutcome: Sendable, Equatable {
  /// A new appeal was opened.
  case filed
  /// Another appeal about the number was open; both are answered together.
  case joined
  /// This filing, with this ticket, is stored already.
  case filedBefore
  /// The form had been used before; nothing was stored.
  case stampSpent
  /// All places for people who appeal about the number are taken; nothing was stored, and the form can be sent again.
  case crowded
}

/// The status of an appeal as the holder of its ticket sees it.
public struct AppealStatus: Sendable, Equatable {
  /// The appeal; its statement is the ticket holder's own.
  public var appeal: Appeal
  /// How the newest publication lists the number; nil where it does not.
  public var listing: Explanation.Listing?
  /// Whether the number is identified and not blocked for as long as the appeal is not rejected; see `Spoofing`.
  public var isVictim: Bool
  /// Whether a decision has allowed the number.
  public var isAllowed: Bool
}

/// One person's statement in an appeal.
public struct FiledStatement: Sendable, Equatable {
  /// The appeal that it belongs to.
  public var appealID: UUID
  /// The statement's text.
  public var statement: String
  /// When the statement was filed.
  public var filedAt: Date
  /// Contact of the person; nil where none was given, or it was deleted.
  public var contact: String?
}

/// A cursor in the list of appeals.
public struct AppealCursor: Sendable, Equatable {
  /// When the last appeal was filed, or, among answered ones, answered.
  public var time: Date
  /// The last appeal's number.
  public var number: Int64
  /// The last appeal's id.
  public var id: UUID

  /// - Parameters: see the properties.
  public init(time: Date, number: Int64, id: UUID) {
    self.time = time
    self.number = number
    self.id = id
  }
}

/// Result of answering appeals.
public enum AnswerOutcome: Sendable, Equatable {
  /// The answer was stored for this many appeals about the number.
  case answered(Int)
  /// No appeal about the number was open: somebody else has answered.
  case nothingOpen
  /// Another appeal was filed since the moderator opened the page; nothing was answered.
  case changed
}
