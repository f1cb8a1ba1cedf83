// SPDX-License-Identifier: Apache-2.0

/// The content codings that a client accepts, by RFC 9110, section 12.5.3.
package struct AcceptEncodingField {
  private let qualities: [Substring: Double]

  /// - Parameter field: nil, and more than 1,000 bytes, accept no coding.
  package init(_ field: String?) {
    guard let field, field.utf8.count <= 1_000 else {
      qualities = [:]
      return
    }
    let pairs = field.lowercased().filter { $0 != " " && $0 != "\t" }.split(separator: ",").map { element in
      let parts = element.split(separator: ";")
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      return (parts.first ?? "", weight)
    }
    qualities = Dictionary(pairs) { first, _ in first }
  }

  /// Whether the client accepts gzip, and does not prefer the plain content.
  package var acceptsGzip: Bool {
    let quality = qualities["gzip"] ?? qualities["x-gzip"] ?? qualities["*"] ?? 0
    return quality > 0 && quality >= qualities["identity"] ?? 0
  }
}
