// SPDX-License-Identifier: Apache-2.0

extension RegionMap {
  /// The countries and territories of libphonenumber, ISO 3166-1 alpha-2 (and `AC`, `TA`, `XK`); nil for numbers
  /// without a country, such as +800.
  ///
  /// The prefixes are extracted from libphonenumber's data (see Scripts/country-prefixes.cpp), so a valid number has
  /// the region of ``PhoneNumber/region``. Known exceptions: Canada's 310-xxxx in seven digits count as numbers of the
  /// United States, and digits that are not valid have the region of their prefix.
  public static let countries: RegionMap = {
    do {
      return try RegionMap(prefixes: countryPrefixList)
    } catch {
      preconditionFailure("CountryPrefixes.swift: \(error)")
    }
  }()

  /// The prefixes of ``countries``.
  public static let countryPrefixList: [(prefix: Int64, region: String)] = countryPrefixes.split(separator: "\n")
    .flatMap { line -> [(prefix: Int64, region: String)] in
      let words = line.split(separator: " ")
      guard let region = words.first else { return [] }
      return words.dropFirst().compactMap { word in Int64(word).map { ($0, String(region)) } }
    }

  /// The countries, overlaid by the operator's regions: the longest prefix counts, and of two equal ones the
  /// operator's.
  /// - Throws: ``Failure``.
  public static func countries(overlaidBy prefixes: [(prefix: Int64, region: String)]) throws -> RegionMap {
    let own = Set(prefixes.map(\.prefix))
    return try RegionMap(prefixes: prefixes + countryPrefixList.filter { !own.contains($0.prefix) })
  }
}
