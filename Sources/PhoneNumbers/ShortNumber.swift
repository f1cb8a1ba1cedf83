// SPDX-License-Identifier: Apache-2.0

/// A number that works only within a region and that cannot be a caller.
public enum ShortNumber: String, Sendable, CaseIterable {
  /// An emergency number, such as 112 or 911.
  case emergency
  /// A short code of the region, such as 118 000.
  case short

  /// The kind of a text dialed in a region, by libphonenumber's `ShortNumberInfo`; nil for a regular number and for
  /// anything else.
  ///
  /// Emergency numbers match completely: 911 does, 9111 does not. At most 250 bytes of text.
  public init?(_ text: String, region: PhoneRegion) {
    guard let found = libraryShortNumber(text, region.code) else { return nil }
    self = found
  }

  /// The kind of these digits if they were dialed in a region of their calling code without it; nil for a regular
  /// number. Takes well under 1 µs except for numbers of eight national digits or fewer.
  /// - Parameter digits: E.164 without the plus, such as 49112.
  public init?(digits: Int64) {
    guard let found = libraryShortNumber(digits) else { return nil }
    self = found
  }
}
