public import CallerPack

/// What was assembled.
public struct AssembledPacks: Sendable, Equatable {
  /// A pack that was written.
  public struct Pack: Sendable, Equatable {
    /// What it is.
    public var spec: PackSpec
    /// What the writer said.
    public var summary: PackSummary
    /// Numbers that the recipe would have taken without its limit.
    public var candidates: Int
  }

  /// In the order of recipes, regions and shards.
  public var packs: [Pack]
  /// Packs that were not written because nothing was in them; in the same order.
  public var empty: [PackSpec]
  /// Listed numbers that were looked at.
  public var listed: Int
  /// Directory entries that were looked at.
  public var named: Int
}

/// How far assembling is.
public struct AssemblyProgress: Sendable, Equatable {
  /// What is being done.
  public enum Phase: String, Sendable {
    /// Numbers and names come from the database; the total is not known.
    case reading
    /// What is in each pack is settled.
    case selecting
    /// Packs are written.
    case writing
  }

  /// What is being done.
  public var phase: Phase
  /// Numbers read, numbers looked at, or entries written.
  public var done: Int
  /// What ``done`` will be; nil where nobody knows.
  public var total: Int?
  /// The pack that is being written.
  public var pack: String?
}
