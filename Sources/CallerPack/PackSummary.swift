// SPDX-License-Identifier: Apache-2.0

/// The size, digest and range of a file that was written.
public struct PackSummary: Sendable, Hashable {
  /// The number of entries in the pack, or of changes in the delta.
  public var entries: Int
  /// Size of the file in bytes.
  public var bytes: Int
  /// SHA-256 of the file.
  public var sha256: PackDigest
  /// The least number; `nil` when there are no entries.
  public var first: Int64?
  /// The greatest number; `nil` when there are no entries.
  public var last: Int64?

  /// Creates a summary.
  public init(entries: Int, bytes: Int, sha256: PackDigest, first: Int64?, last: Int64?) {
    self.entries = entries
    self.bytes = bytes
    self.sha256 = sha256
    self.first = first
    self.last = last
  }
}
