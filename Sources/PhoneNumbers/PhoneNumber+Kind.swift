// SPDX-License-Identifier: Apache-2.0

extension PhoneNumber {
  /// The kind of a number, by its region's numbering plan (libphonenumber's `PhoneNumberType`).
  public enum Kind: String, Sendable, CaseIterable, Codable {
    /// A subscriber's line at a fixed place.
    case fixedLine = "fixed_line"
    /// A mobile subscriber.
    case mobile
    /// The plan does not distinguish fixed lines from mobiles, as in North America.
    case fixedLineOrMobile = "fixed_line_or_mobile"
    /// Free for the caller.
    case tollFree = "toll_free"
    /// Paid by the caller above the ordinary rate.
    case premiumRate = "premium_rate"
    /// Paid by caller and callee together.
    case sharedCost = "shared_cost"
    /// Voice over IP, where the plan sets numbers aside for it.
    case voip
    /// A personal number, which follows a person between lines.
    case personal = "personal_number"
    /// A pager.
    case pager
    /// A company's universal access number.
    case universalAccess = "uan"
    /// Reaches a voice mailbox.
    case voicemail
    /// Not a valid number, or of no kind the plan names.
    case unknown
  }

  /// The kind by the numbering plan; `.unknown` for digits that are not valid.
  public var kind: Kind { libraryKind(digits) }
}
