// SPDX-License-Identifier: Apache-2.0

/// The reason why a text is not accepted as a telephone number.
///
/// No case and no description repeats the text that was read; regions are codes of two letters, except the caller's
/// input in `unknownRegion`, of which at most 16 characters are kept.
public enum PhoneNumberError: Error, Hashable, Sendable {
  /// Nothing but white space.
  case empty
  /// No telephone number can be read from the text.
  case notANumber
  /// Fewer digits than any number of the region has, or a local number without its area code.
  case tooShort
  /// More than 250 bytes of text, more than 15 digits, or more digits than any number of the region has.
  case tooLong
  /// The number of digits may be right, but no number of the region begins with these digits. Region: two letters, nil
  /// when unknown or non-geographic.
  case notValid(region: String?)
  /// A short code or an emergency number, which cannot be a caller. Region: two letters, nil when unknown.
  case shortOrEmergency(region: String?)
  /// The region given is not one of the numbering plans.
  case unknownRegion(String)
  /// A national form without a region.
  case needsRegion
  /// The digits after the plus or the international prefix do not begin with a calling code.
  case unknownCallingCode
  /// A sign in the place of a digit, such as x, ? or ….
  case placeholder
  /// A mask for the numbers that begin with some digits: with a count of free digits, or with 0 for any further ones.
  case mask(prefix: Int64, free: Int)
  /// More than one number, or perhaps more than one.
  case severalNumbers
  /// A spreadsheet's decimal or power of ten, which may have lost digits.
  case decimal
}

extension PhoneNumberError {
  /// A stable name in snake_case for APIs and metrics.
  public var code: String {
    switch self {
    case .empty: "empty"
    case .notANumber: "not_a_number"
    case .tooShort: "too_short"
    case .tooLong: "too_long"
    case .notValid: "not_valid"
    case .shortOrEmergency: "short_or_emergency"
    case .unknownRegion: "unknown_region"
    case .needsRegion: "needs_region"
    case .unknownCallingCode: "unknown_calling_code"
    case .placeholder: "placeholder"
    case .mask: "mask"
    case .severalNumbers: "several_numbers"
    case .decimal: "decimal"
    }
  }

  /// The range of a mask, in the form `+493023125xxx` or `+4930*`; nil for every other error.
  public var mask: String? {
    guard case .mask(let prefix, let free) = self else { return nil }
    return "+\(prefix)" + (free == 0 ? "*" : String(repeating: "x", count: free))
  }
}

extension PhoneNumberError: CustomStringConvertible {
  /// The cause and the remedy in plain English; safe to show.
  public var description: String {
    switch self {
    case .empty:
      "The number is missing. Enter a number such as +33 1 99 00 02 48."
    case .notANumber:
      "This is not a phone number. Enter a number such as +33 1 99 00 02 48."
    case .tooShort:
      "The number has too few digits. Enter the full number with its area code."
    case .tooLong:
      "The number has too many digits. Enter one number."
    case .notValid(let region):
      "No number of \(region ?? "its region") begins with these digits. Check the digits and the country."
    case .shortOrEmergency(let region):
      "This is a short or emergency number\(region.map { " of \($0)" } ?? ""). Enter a full phone number."
    case .unknownRegion(let region):
      "The region \"\(region)\" is unknown. Use two letters (ISO 3166-1), such as FR."
    case .needsRegion:
      "The number is in national form. Start it with + and the country code, or add its region."
    case .unknownCallingCode:
      "No country has this calling code. Check the digits after the plus."
    case .placeholder:
      "The number has a sign in place of a digit. Enter every digit of one number, such as +33 1 99 00 02 48."
    case .mask:
      "This is a mask for a range of numbers. Enter every digit of one number, or add the range to the rules for ranges."
    case .severalNumbers:
      "The text has more than one number. Enter one number."
    case .decimal:
      "A spreadsheet has changed the number, and digits may be lost. Store it as text, such as +33199000248."
    }
  }
}
