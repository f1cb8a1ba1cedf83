// SPDX-License-Identifier: Apache-2.0

/// A delta: a file that turns one pack into its successor.
///
/// ```swift
/// let delta = try PackDelta.open(path: "toxic-41-42.rfdelta")
/// let base = try PackReader.open(path: "toxic-41.rfpack")
/// try delta.apply(base: base, to: "toxic-42.rfpack")
/// ```
public final class PackDelta: Sendable {
  /// The header of the delta.
  public let header: PackDeltaHeader
  let source: PackSource
  let layout: DeltaLayout

  /// Opens a delta and checks its header.
  /// - Parameter path: the file.
  /// - Throws: ``PackError``, with the codes of ``PackReader/open(path:memoryLimit:)``.
  public static func open(path: String) throws(PackError) -> PackDelta {
    try PackDelta(source: PackSource.open(path: path))
  }

  /// Reads a delta that is in memory.
  /// - Parameter bytes: the complete delta.
  /// - Throws: ``PackError``, with the codes of ``PackReader/init(bytes:)``.
  public convenience init(bytes: [UInt8]) throws(PackError) {
    try self.init(source: PackSource(bytes: bytes))
  }

  package init(source: PackSource) throws(PackError) {
    self.source = source
    (header, layout) = try DeltaLayout.read(source)
  }

  /// Creates a cursor over the changes in the order of a Call Directory request: every removal, then every addition,
  /// each ascending.
  ///
  /// The base is needed because a delta names removed and changed entries by their position in it. The result is not
  /// written, so its SHA-256 is not checked; ``apply(base:to:)`` does that. The memory is that of a cursor of the base
  /// and of the delta's columns.
  /// - Parameter base: the pack that the delta starts from.
  /// - Throws: ``PackError``: `wrongBase`, or an error of reading either file.
  public func makeChanges(base: PackReader) throws(PackError) -> PackChangeCursor {
    try check(base: base)
    return try PackChangeCursor(self, base)
  }

  /// Checks by SHA-256 that a pack is the base of this delta.
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
