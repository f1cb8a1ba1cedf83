// SPDX-License-Identifier: Apache-2.0

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
    ranges = field.lowercased().split(separator: ",").compactMap { element in
      let parts = element.split(separator: ";").map { Substring($0.filter { $0 != " " && $0 != "\t" }) }
      let names = parts.first?.split(separator: "/", omittingEmptySubsequences: false) ?? []
      guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
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
