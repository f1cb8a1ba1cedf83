// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The rules for passwords (NIST SP 800-63B: length counts, not kinds of characters).
public enum PasswordRules {
  /// The allowed length in characters.
  public static let length = 10...200

  /// The reason why a password is refused.
  public enum Problem: String, Sendable, CaseIterable {
    /// Fewer characters than ``length`` requires.
    case short
    /// More characters than ``length`` allows.
    case long
    /// Fewer than five different characters.
    case plain
    /// It contains the account's name.
    case name
  }

  /// - Parameter name: the account's name.
  /// - Returns: nil for an acceptable password.
  public static func problem(with password: String, name: String) -> Problem? {
    if password.count < length.lowerBound { return .short }
    if password.count > length.upperBound { return .long }
    if Set(password.lowercased()).count < 5 { return .plain }
    if name.count > 2, password.localizedCaseInsensitiveContains(name) { return .name }
    return nil
  }
}
