public import Curation
public import Foundation

/// Somebody who has signed in.
public struct Session: Sendable, Equatable {
  /// Key of the row.
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
  /// What the account may do.
  public let role: Role
  /// The language the account has chosen, such as `ru`; nil leaves it to the browser.
  public let language: String?
  /// Names the session; opens nothing.
  public let sessionID: UUID
  /// Whether it can sign in without a link.
  public let hasPassword: Bool
  /// Whether it has a second factor.
  public let hasSecondFactor: Bool
  /// How often it has signed in, this time included.
  public let signIns: Int32
}
