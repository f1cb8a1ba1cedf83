/// A number that works only within a region and that nobody calls from.
public enum ShortNumber: String, Sendable, CaseIterable {
  /// Reaches the police, firefighters or an ambulance, such as 112 or 911.
  case emergency
  /// A short code of the region, such as 118 000.
  case short

  /// What a text dialled from a region reaches, by libphonenumber's `ShortNumberInfo`; nil for an ordinary number and
  /// for anything else.
  ///
  /// Emergency numbers match whole: 911 does, 9111 does not. At most 250 bytes of text.
  public init?(_ text: String, region: PhoneRegion) {
    guard let found = libraryShortNumber(text, region.code) else { return nil }
    self = found
  }

  /// What these digits would reach in a region of their calling code, were they dialled there without it; nil for an
  /// ordinary number. Well under a microsecond for all but numbers of eight national digits or fewer.
  /// - Parameter digits: E.164 without the plus, such as 49112.
  public init?(digits: Int64) {
    guard let found = libraryShortNumber(digits) else { return nil }
    self = found
  }
}
