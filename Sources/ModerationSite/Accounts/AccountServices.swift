package import Accounts
package import Storage

/// What the pages for accounts work with.
package struct AccountServices: Sendable {
  /// Who there is.
  package let accounts: AccountStore
  /// Where people sign in.
  package let desk: SignInService
  /// Who changed what.
  package let auditLog: AuditLog
  /// Hashes passwords.
  package let hasher: PasswordHasher
  /// What secrets are kept with.
  package let key: AccountKey

  /// - Parameters: see the properties; `attempts` counts.
  package init(
    moderators: SessionStore, accounts: AccountStore, attempts: AttemptStore, auditLog: AuditLog, key: AccountKey,
    hasher: PasswordHasher = PasswordHasher()
  ) {
    self.accounts = accounts
    self.auditLog = auditLog
    self.hasher = hasher
    self.key = key
    desk = SignInService(moderators: moderators, accounts: accounts, attempts: attempts, hasher: hasher, key: key)
  }
}
