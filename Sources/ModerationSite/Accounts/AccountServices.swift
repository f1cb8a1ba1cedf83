// SPDX-License-Identifier: Apache-2.0

package import Accounts
package import Storage

/// Stores and services for the pages about accounts.
package struct AccountServices: Sendable {
  /// The accounts.
  package let accounts: AccountStore
  /// Checks sign-ins.
  package let signIn: SignInService
  /// The audit log.
  package let auditLog: AuditLog
  /// Hashes passwords.
  package let hasher: PasswordHasher
  /// The key that encrypts the secrets of second factors and hashes recovery codes.
  package let key: AccountKey

  /// - Parameters: see the properties; `attempts` counts failed sign-ins.
  package init(
    sessions: SessionStore, accounts: AccountStore, attempts: AttemptStore, auditLog: AuditLog, key: AccountKey,
    hasher: PasswordHasher = PasswordHasher()
  ) {
    self.accounts = accounts
    self.auditLog = auditLog
    self.hasher = hasher
    self.key = key
    signIn = SignInService(sessions: sessions, accounts: accounts, attempts: attempts, hasher: hasher, key: key)
  }
}
