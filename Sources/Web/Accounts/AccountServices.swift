public import Accounts
public import Storage

/// What the pages for accounts work with.
public struct AccountServices: Sendable {
  /// Who there is.
  public let accounts: AccountStore
  /// Where people sign in.
  public let desk: SignInDesk
  /// Who changed what.
  public let trail: AuditTrail
  /// Hashes passwords.
  public let hasher: PasswordHasher
  /// What secrets are kept with.
  public let key: AccountKey

  /// - Parameters: see the properties; `attempts` counts.
  public init(
    moderators: ModeratorStore, accounts: AccountStore, attempts: AttemptStore, trail: AuditTrail, key: AccountKey,
    hasher: PasswordHasher = PasswordHasher()
  ) {
    self.accounts = accounts
    self.trail = trail
    self.hasher = hasher
    self.key = key
    desk = SignInDesk(moderators: moderators, accounts: accounts, attempts: attempts, hasher: hasher, key: key)
  }
}
