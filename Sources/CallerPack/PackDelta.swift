/// A delta: what turns one pack into its successor.
public final class PackDelta: Sendable {
  /// What the first bytes say.
  public let header: PackDeltaHeader
  let source: PackSource
  let layout: DeltaLayout

  /// Opens a delta.
  /// - Throws: ``PackError`` as ``PackReader/open(path:)`` does.
  public static func open(path: String) throws(PackError) -> PackDelta {
    try PackDelta(source: PackSource.open(path: path))
  }

  /// Reads a delta that is in memory already.
  /// - Throws: ``PackError`` as ``PackReader/init(bytes:)`` does.
  public convenience init(bytes: [UInt8]) throws(PackError) {
    try self.init(source: PackSource(bytes: bytes))
  }

  package init(source: PackSource) throws(PackError) {
    self.source = source
    (header, layout) = try DeltaLayout.read(source)
  }

  /// The changes in the order Call Directory wants: every removal, then every addition, each ascending.
  ///
  /// Needs the base, for a delta names removed and changed entries by their position in it; does not write the result.
  /// Takes the memory of a cursor of the base and of the delta's columns. The list is as good as the delta: the
  /// result's SHA-256 is checked by ``apply(base:to:)`` only.
  /// - Throws: ``PackError``: `wrongBase`, or what reading either file throws.
  public func makeChanges(base: PackReader) throws(PackError) -> PackChangeCursor {
    try check(base: base)
    return try PackChangeCursor(self, base)
  }

  /// Refuses a pack that is not the base of this delta, by its SHA-256.
  /// - Throws: ``PackError`` with `wrongBase`.
  public func check(base: PackReader) throws(PackError) {
    let digest = try base.digest()
    guard digest == header.baseDigest else {
      throw PackError(
        .wrongBase, "the delta was made for another pack", expected: "SHA-256 \(header.baseDigest)", got: "\(digest)",
        remedy: "use the pack with serial \(header.baseSerial), or fetch the full pack")
    }
  }
}
