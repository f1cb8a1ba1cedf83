public import Foundation

/// Work on taking back what came by a key.
public struct KeyWithdrawal: Sendable, Equatable {
  /// Key of its row.
  public let id: Int64
  /// Whose reports are taken back.
  public let keyID: Int32
  /// When the first of them arrived.
  public let since: Date
  /// Before when the last of them arrived.
  public let until: Date
  /// Why, as somebody put it.
  public let reason: String
  /// Who asked for it.
  public let askedBy: String
  /// When.
  public let askedAt: Date
  /// All reports of the app with a lesser id are done.
  let position: UUID
  /// Reports of the app that were looked at; some of them twice.
  public let seen: Int64
  /// Reports that were taken back.
  public let withdrawn: Int64
  /// When it was done; nil while there is more to do.
  public let doneAt: Date?
}

/// What came by a key, before it is taken back.
public struct KeyTrace: Sendable, Equatable {
  /// Reports that stand, up to ``mostReports``.
  public let reports: Int
  /// Numbers that they are about.
  public let numbers: Int
  /// Reporters, by their pseudonyms.
  public let reporters: Int
  /// When the first of them arrived.
  public let first: Date?
  /// When the last of them arrived.
  public let last: Date?

  /// The most that are counted.
  public static let mostReports = 100_000
}
