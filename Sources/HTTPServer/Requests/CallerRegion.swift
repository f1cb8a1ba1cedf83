// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The country of a caller from `?region=DE` or the device's preferred languages.
///
/// The client's address is not used, because a shared cache would reveal where a caller is.
package enum CallerRegion {
  /// - Parameter text: two letters of ISO 3166.
  /// - Returns: in upper case; nil for anything else.
  package static func country(_ text: some StringProtocol) -> String? {
    guard text.utf8.count == 2, text.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) }) else { return nil }
    return text.uppercased()
  }

  /// The country of the most preferred language that names one, such as `AT` in `de-AT, de;q=0.9, en-US;q=0.5`.
  package static func country(acceptLanguage field: String) -> String? {
    guard field.utf8.count <= 1_000 else { return nil }
    var best: (country: String, weight: Double)?
    for element in field.split(separator: ",") {
      let parts = element.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let tag = parts.first, let country = country(tag: tag) else { continue }
      let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > (best?.weight ?? 0) { best = (country, weight) }
    }
    return best?.country
  }

  /// Reads the country after the language and an optional script.
  private static func country(tag: String) -> String? {
    let subtags = tag.split(separator: "-")
    guard let language = subtags.first, (2...3).contains(language.utf8.count) else { return nil }
    return subtags.dropFirst().prefix(2).first { $0.utf8.count != 4 }.flatMap { country($0) }
  }
}
