// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// An account as administrators and its owner see it, without secrets.
public struct Account: Sendable, Equatable {
  /// Key of the row.
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
  /// The account's role.
  public let role: Role
  /// The language of its choice, such as `ru`; nil leaves it to the browser.
  public let language: String?
  /// The account's keys.
  public let shortcuts: ShortcutKeys
  /// When the account was added.
  public let createdAt: Date
  /// The last sign-in; nil for never.
  public let signedInAt: Date?
  /// Number of sign-ins.
  public let signIns: Int32
  /// When the account was disabled; nil while it is enabled.
  public let disabledAt: Date?
  /// Whether the account has a password; without one it signs in with links.
  public let hasPassword: Bool
  /// Whether the account has a second factor.
  public let hasSecondFactor: Bool
  /// Number of unused recovery codes.
  public let recoveryCodes: Int64
  /// Number of open sessions.
  public let sessions: Int64
}

/// One of an account's sessions.
public struct AccountSession: Sendable, Equatable {
  /// Identifies the session; it is not its token.
  public let id: UUID
  /// When it was opened.
  public let openedAt: Date
  /// When it was last used, to the minute.
  public let seenAt: Date
  /// Browser and platform as text; may be empty.
  public let browser: String
}

/// Credentials of an account; never shown.
public struct Credentials: Sendable {
  /// Key of the row.
  public let id: Int32
  /// Unique.
  public let name: String
  /// The account's role.
  public let role: Role
  /// As `PasswordHash` encodes it; nil for none.
  public let password: String?
  /// Encrypted; nil for none.
  public let secret: [UInt8]?
  /// The newest time step of which a code was accepted.
  public let step: Int64
}

/// The reason why an account was not changed.
public enum AccountError: Error, Equatable, CustomStringConvertible {
  /// There is no account of this name.
  case unknown(String)
  /// There is an account of this name already.
  case taken(String)
  /// The change would leave no administrator who can sign in.
  case lastAdministrator(String)

  /// The cause and the remedy, in plain English.
  public var description: String {
    switch self {
    case .unknown(let name): "There is no account \(name). See `ringfence account list`."
    case .taken(let name): "There is an account \(name) already. Choose another name."
    case .lastAdministrator(let name):
      "\(name) is the last administrator that can sign in. Make another one first: ringfence account role NAME administrator"
    }
  }
}
