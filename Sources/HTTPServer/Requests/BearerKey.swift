/// The `Authorization` field of apps and of readers of the metrics.
package enum BearerKey {
  /// The key in `Bearer KEY`, the scheme in either case; nil for another scheme and for more than 256 bytes. Byte by byte:
  /// every request pays for it.
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
  /// Without spaces and tabs at its end.
  fileprivate var trimmedEnd: Substring {
    var rest = self
    while rest.utf8.last == 0x20 || rest.utf8.last == 0x09 { rest.removeLast() }
    return rest
  }
}
