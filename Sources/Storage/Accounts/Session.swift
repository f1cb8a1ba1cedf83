// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A signed-in account.
public struct Session: Sendable, Equatable {
  /// Key of the row.
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
  /// The account's role.
  public let role: Role
  /// The language the account has chosen, such as `ru`; nil leaves it to the browser.
  public let language: String?
  /// The account's keys.
  public let shortcuts: ShortcutKeys
  /// Identifies the session; it is not its token.
  public let sessionID: UUID
  /// Whether the account can sign in without a link.
  public let hasPassword: Bool
  /// Whether the account has a second factor.
  public let hasSecondFactor: Bool
  /// Number of sign-ins, including this one.
  public let signIns: Int32
}
