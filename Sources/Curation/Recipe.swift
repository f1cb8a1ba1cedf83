/// What a pack holds.
public struct Recipe: Sendable, Equatable {
  /// What the phone does with an entry.
  public enum Kind: String, Sendable, CaseIterable {
    /// The call does not ring; entries have no label.
    case blocking
    /// The call rings under the entry's label.
    case identification
  }

  /// Name of the pack: lower-case letters, digits and hyphens, at most 40.
  public var name: String
  /// What the phone does with the entries.
  public var kind: Kind
  /// The most entries, 1 to 1,999,999: what one extension may hold.
  public var limit: Int

  /// - Parameters: see the properties.
  public init(name: String, kind: Kind, limit: Int) {
    precondition((1...Self.mostEntries).contains(limit))
    self.name = name
    self.kind = kind
    self.limit = limit
  }

  /// The most entries of one Call Directory extension (2,000,000 fails).
  public static let mostEntries = 1_999_999

  /// The packs of every installation: the 100,000 hottest with labels, and all there are to block.
  public static let shipped = [
    Recipe(name: "toxic", kind: .identification, limit: 100_000),
    Recipe(name: "blocklist", kind: .blocking, limit: mostEntries),
  ]
}
