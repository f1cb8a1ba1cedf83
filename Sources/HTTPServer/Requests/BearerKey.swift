// SPDX-License-Identifier: Apache-2.0

/// The `Authorization` field of apps and of readers of the metrics.
package enum BearerKey {
  /// The key in `Bearer KEY`, with a case-insensitive scheme; nil for another scheme and for more than 256 bytes.
  /// Compares bytes for speed, because every request needs it.
  package static func key(ofBearer header: String) -> String? {
    let bytes = header.utf8
    guard bytes.count <= 256, bytes.count > 7, zip(bytes, "bearer ".utf8).allSatisfy({ $0 | 0x20 == $1 }) else {
      return nil
    }
    let rest = Substring(bytes.dropFirst(7))
    return String(rest.drop { $0 == " " || $0 == "\t" }.trimmedEnd)
  }
}

extension Substring {
  /// The text without trailing spaces and tabs.
  fileprivate var trimmedEnd: Substring {
    var rest = self
    while rest.utf8.last == 0x20 || rest.utf8.last == 0x09 { rest.removeLast() }
    return rest
  }
}
