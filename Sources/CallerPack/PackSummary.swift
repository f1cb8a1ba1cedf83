/// What was written.
public struct PackSummary: Sendable, Hashable {
  /// Entries in the pack, or changes in the delta.
  public var entries: Int
  /// Bytes of the file.
  public var bytes: Int
  /// SHA-256 of the file.
  public var sha256: PackDigest
  /// The least number; `nil` when there are no entries.
  public var first: Int64?
  /// The greatest number; `nil` when there are no entries.
  public var last: Int64?

  /// Makes a summary.
  public init(entries: Int, bytes: Int, sha256: PackDigest, first: Int64?, last: Int64?) {
    self.entries = entries
    self.bytes = bytes
    self.sha256 = sha256
    self.first = first
    self.last = last
  }
}
