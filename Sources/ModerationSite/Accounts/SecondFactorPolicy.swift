package import Curation

/// Who must have a second factor. The first sign-in goes without, so that there is a time to set it up.
package enum SecondFactorPolicy: String, Sendable, CaseIterable {
  /// Whoever wants one.
  case nobody
  /// Accounts of the role administrator.
  case administrators
  /// All accounts.
  case everyone

  /// Whether accounts of a role must have one.
  package func asks(_ role: Role) -> Bool {
    switch self {
    case .nobody: false
    case .administrators: role == .administrator
    case .everyone: true
    }
  }
}
