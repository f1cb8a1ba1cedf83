// SPDX-License-Identifier: Apache-2.0

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
