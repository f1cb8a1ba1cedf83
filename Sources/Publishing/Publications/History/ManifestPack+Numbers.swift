// SPDX-License-Identifier: Apache-2.0

package import CallerPack

extension ManifestPack {
  /// Whether the pack may contain numbers of a country.
  /// - Parameter country: ISO 3166 alpha-2; nil for numbers without a country, which any pack may contain.
  package func mayContainNumbers(of country: String?) -> Bool {
    guard let region = region?.uppercased(), let country else { return true }
    return region == country || region.hasPrefix("\(country)-") || region.count != 2
  }

  /// Whether a number is between the least and the greatest of the pack, so that the pack may contain it.
  package func spans(_ number: Int64) -> Bool {
    guard let first, let last else { return false }
    return (first...last).contains(number)
  }
}
