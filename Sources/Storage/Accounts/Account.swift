public import Curation
public import Foundation

/// An account as administrators, and its owner, see it: without anything secret.
public struct Account: Sendable, Equatable {
  /// Key of the row.
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
  /// What it may do.
  public let role: Role
  /// The language of its choice, such as `ru`; nil leaves it to the browser.
  public let language: String?
  /// When it was added.
  public let createdAt: Date
  /// When it last signed in; nil for never.
  public let signedInAt: Date?
  /// How often it has signed in.
  public let signIns: Int32
  /// Since when it cannot sign in; nil while it can.
  public let disabledAt: Date?
  /// Whether it has a password; without one it signs in by links.
  public let hasPassword: Bool
  /// Whether it has a second factor.
  public let hasSecondFactor: Bool
  /// Recovery codes that are left.
  public let recoveryCodes: Int64
  /// Sessions that are open.
  public let sessions: Int64
}

/// One of an account's sessions.
public struct AccountSession: Sendable, Equatable {
  /// Names it; opens nothing.
  public let id: UUID
  /// When it was opened.
  public let openedAt: Date
  /// When it was last used, to the minute.
  public let seenAt: Date
  /// What kind of browser, in words; may be empty.
  public let browser: String
}

/// What an account is recognised by. Never shown.
public struct Credentials: Sendable {
  /// Key of the row.
  public let id: Int32
  /// Unique.
  public let name: String
  /// What it may do.
  public let role: Role
  /// As `PasswordHash` writes it; nil for none.
  public let password: String?
  /// Encrypted; nil for none.
  public let secret: [UInt8]?
  /// The newest step whose code was taken.
  public let step: Int64
}

/// Why an account was not changed.
public enum AccountError: Error, Equatable, CustomStringConvertible {
  /// There is no account of this name.
  case unknown(String)
  /// There is one already.
  case taken(String)
  /// Nobody could undo it.
  case lastAdministrator(String)

  /// What it is, and what to do, in plain English.
  public var description: String {
    switch self {
    case .unknown(let name): "There is no account \(name). See `ringfence account list`."
    case .taken(let name): "There is an account \(name) already. Choose another name."
    case .lastAdministrator(let name):
      "\(name) is the last administrator that can sign in. Make another one first: ringfence account role NAME administrator"
    }
  }
}
