import Localization
import PhoneNumbers

/// A number as pages write it.
enum Phone {
  static func text(_ digits: Int64) -> String {
    PhoneNumber(digits: digits)?.formatted(.international) ?? "+\(digits)"
  }

  /// For a heading, which is not broken within the number.
  static func unbroken(_ digits: Int64) -> String { text(digits).replacing(" ", with: "\u{A0}") }

  /// What its country is called, or a dash.
  static func country(_ digits: Int64, _ texts: Localizer) -> String {
    RegionMap.countries.region(of: digits).map(texts.country) ?? "–"
  }
}
