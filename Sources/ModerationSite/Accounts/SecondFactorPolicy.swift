// SPDX-License-Identifier: Apache-2.0

package import Curation

/// The roles that must have a second factor. The first session works without one, so that it can be set up.
package enum SecondFactorPolicy: String, Sendable, CaseIterable {
  /// A second factor is optional.
  case nobody
  /// Accounts of the role administrator.
  case administrators
  /// All accounts.
  case everyone

  /// Whether accounts with the role must have one.
  package func asks(_ role: Role) -> Bool {
    switch self {
    case .nobody: false
    case .administrators: role == .administrator
    case .everyone: true
    }
  }
}
