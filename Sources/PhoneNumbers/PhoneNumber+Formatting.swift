// SPDX-License-Identifier: Apache-2.0

extension PhoneNumber {
  /// The two display forms.
  public enum Style: String, Sendable, CaseIterable {
    /// With plus and calling code, such as `+33 1 62 00 02 48`.
    case international
    /// The form dialed within its region, such as `01 62 00 02 48`.
    case national
  }

  /// The number as libphonenumber writes it, zeros of an Italian number kept.
  ///
  /// Digits under no known calling code, and a form that would be longer than 127 bytes, are returned as ``e164``.
  public func formatted(_ style: Style) -> String {
    guard style == .international else { return libraryFormat(digits, style) ?? e164 }
    return FormattedNumbers.shared.text(of: digits) { libraryFormat(digits, style) ?? e164 }
  }
}
