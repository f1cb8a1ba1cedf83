// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Elements with weights (RFC 9110, 12.4.2).
private enum WeightedField {
  /// The elements without spaces and parameters, each with its weight `q`, 1 by default.
  static func elements(_ field: String) -> [(String, Double)] {
    field.filter { $0 != " " && $0 != "\t" }.split(separator: ",").map { element in
      let parts = element.split(separator: ";")
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
      return (parts.first.map(String.init) ?? "", weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1)
    }
  }
}

/// The media types that a client accepts, by RFC 9110, section 12.5.1.
package struct AcceptField {
  private struct Range {
    let type: Substring
    let subtype: Substring
    let quality: Double
  }

  private let ranges: [Range]

  /// - Parameter field: nil, an unreadable field, and more than 1,000 bytes accept everything.
  package init(_ field: String?) {
    guard let field, field.utf8.count <= 1_000 else {
      ranges = []
      return
    }
    ranges = WeightedField.elements(field.lowercased()).compactMap { element, weight in
      let names = element.split(separator: "/", omittingEmptySubsequences: false)
      guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty else { return nil }
      return Range(type: names[0], subtype: names[1], quality: weight)
    }
  }

  /// The quality of a media type, 0 to 1. The most specific range applies.
  /// - Parameter mediaType: in lower case, without parameters.
  package func quality(of mediaType: String) -> Double {
    guard !ranges.isEmpty else { return 1 }
    let names = mediaType.split(separator: "/")
    for (type, subtype) in [(names[0], names[1]), (names[0], "*"), ("*", "*")] {
      if let range = ranges.first(where: { $0.type == type && $0.subtype == subtype }) { return range.quality }
    }
    return 0
  }
}

/// The content codings that a client accepts, by RFC 9110, section 12.5.3.
package struct AcceptEncodingField {
  private let qualities: [String: Double]

  /// - Parameter field: nil, and more than 1,000 bytes, accept no coding.
  package init(_ field: String?) {
    guard let field, field.utf8.count <= 1_000 else {
      qualities = [:]
      return
    }
    qualities = Dictionary(WeightedField.elements(field.lowercased())) { first, _ in first }
  }

  /// Whether the client accepts gzip, and does not prefer the plain content.
  package var acceptsGzip: Bool {
    let quality = qualities["gzip"] ?? qualities["x-gzip"] ?? qualities["*"] ?? 0
    return quality > 0 && quality >= qualities["identity"] ?? 0
  }
}

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
    for (tag, weight) in WeightedField.elements(field) {
      guard let country = country(tag: tag) else { continue }
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

/// The `Authorization` field of apps and of readers of the metrics.
package enum BearerKey {
  /// The key in `Bearer KEY`, with a case-insensitive scheme; nil for another scheme and for more than 256 bytes.
  /// Compares bytes for speed, because every request needs it.
  package static func key(ofBearer header: String) -> String? {
    let bytes = header.utf8
    guard bytes.count <= 256, bytes.count > 7, zip(bytes, "bearer ".utf8).allSatisfy({ $0 | 0x20 == $1 }) else {
      return nil
    }
    return trimmed(Substring(bytes.dropFirst(7)))
  }

  /// A key without the white space and line ends around it, which are often pasted with it.
  package static func trimmed(_ text: some StringProtocol) -> String {
    var rest = text[...].drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}

/// The value of the field `Server`.
package enum ServerName {
  package static let text = "ringfence"
}
