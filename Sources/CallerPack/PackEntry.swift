// SPDX-License-Identifier: Apache-2.0

/// One entry of a pack, with its label as a `String`.
///
/// ```swift
/// let bank = PackEntry(number: 49_30_1234, label: "Bank")
/// let nuisance = PackEntry(number: 49_30_5678)  // only blocks
/// ```
public struct PackEntry: Sendable, Hashable {
  /// The phone number: country code and national digits, 1 to 999,999,999,999,999.
  public var number: Int64
  /// The label; `nil` for an entry that only blocks.
  public var label: String?
  /// The roles of the entry; never empty.
  public var roles: PackRoles

  /// Creates an entry.
  /// - Parameters:
  ///   - number: 1 to 999,999,999,999,999; a writer checks it.
  ///   - label: 1 to 65,534 bytes of UTF-8; `nil` for an entry that only blocks.
  ///   - roles: without them an entry with a label identifies, and one without a label blocks.
  public init(number: Int64, label: String? = nil, roles: PackRoles? = nil) {
    self.number = number
    self.label = label
    self.roles = roles ?? (label == nil ? .blocks : .identifies)
  }

  /// Whether calls from the number are refused.
  public var isBlocked: Bool { roles.contains(.blocks) }
  /// Whether calls from the number show ``label``.
  public var isIdentified: Bool { roles.contains(.identifies) }
}

/// The kind of a pack: the roles that its entries may have.
public enum PackKind: UInt8, Sendable, Hashable, CaseIterable {
  /// Every entry blocks its number; there are no labels.
  case blocking = 1
  /// Every entry identifies its number; every entry has a label.
  case identification = 2
  /// Each entry blocks, identifies, or does both; see ``PackRoles``.
  case both = 3
}

/// The roles of one entry: block, identify, or both.
public struct PackRoles: OptionSet, Sendable, Hashable {
  /// Bit 0: blocks. Bit 1: identifies.
  public let rawValue: UInt8
  /// Creates a set from its bits; bits beyond the two defined ones have no meaning.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Calls from the number are refused.
  public static let blocks = PackRoles(rawValue: 1)
  /// Calls from the number show a label.
  public static let identifies = PackRoles(rawValue: 2)
}

/// The limit of a reader's memory, chosen when a pack is written.
public enum PackProfile: UInt8, Sendable, Hashable, CaseIterable {
  /// A reader needs 400 KB at most.
  case lean = 1
  /// A reader needs 1.25 MB at most, and the pack is smaller.
  case standard = 2
}

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
