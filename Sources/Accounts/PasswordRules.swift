import Foundation

/// What a password must be like (NIST SP 800-63B: length counts, not kinds of characters).
public enum PasswordRules {
  /// In characters.
  public static let length = 10...200

  /// Why a password is refused.
  public enum Problem: String, Sendable, CaseIterable {
    /// Fewer characters than ``length`` asks for.
    case short
    /// More.
    case long
    /// Fewer than five different characters.
    case plain
    /// It has the account's name in it.
    case name
  }

  /// - Parameter name: of the account.
  /// - Returns: nil for a password that is fine.
  public static func problem(with password: String, name: String) -> Problem? {
    if password.count < length.lowerBound { return .short }
    if password.count > length.upperBound { return .long }
    if Set(password.lowercased()).count < 5 { return .plain }
    if name.count > 2, password.localizedCaseInsensitiveContains(name) { return .name }
    return nil
  }
}
