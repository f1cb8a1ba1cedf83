import PhoneNumbers

/// A number as pages write it.
enum Phone {
  static func text(_ digits: Int64) -> String {
    PhoneNumber(digits: digits)?.formatted(.international) ?? "+\(digits)"
  }

  /// ISO 3166 alpha-2, or a dash.
  static func country(_ digits: Int64) -> String { RegionMap.countries.region(of: digits) ?? "–" }
}
