// SPDX-License-Identifier: Apache-2.0

import Localization
import PhoneNumbers

/// Formats a number for pages.
enum NumberText {
  static func text(_ digits: Int64) -> String {
    PhoneNumber(digits: digits)?.formatted(.international) ?? "+\(digits)"
  }

  /// Formats a number with no-break spaces, for a heading.
  static func unbroken(_ digits: Int64) -> String { text(digits).replacing(" ", with: "\u{A0}") }

  /// The name of the number's country, or a dash.
  static func country(_ digits: Int64, _ texts: Localizer) -> String {
    RegionMap.countries.region(of: digits).map(texts.country) ?? "–"
  }
}
