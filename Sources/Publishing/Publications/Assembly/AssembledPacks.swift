// SPDX-License-Identifier: Apache-2.0

public import CallerPack

/// The result of assembling.
public struct AssembledPacks: Sendable, Equatable {
  /// A pack that was written.
  public struct Pack: Sendable, Equatable {
    /// Its specification.
    public var spec: PackSpec
    /// The writer's summary.
    public var summary: PackSummary
    /// The count of numbers that the recipe would include without its limit.
    public var candidates: Int
  }

  /// In the order of recipes, regions and shards.
  public var packs: [Pack]
  /// Packs that were not written because they would be empty, in the same order.
  public var empty: [PackSpec]
  /// The count of listed numbers read.
  public var listed: Int
  /// The count of directory entries read.
  public var named: Int
}

/// The progress of assembling.
public struct AssemblyProgress: Sendable, Equatable {
  /// A phase of assembling.
  public enum Phase: String, Sendable {
    /// Numbers and names are read from the database; the total is unknown.
    case reading
    /// The entries of each pack are chosen.
    case selecting
    /// Packs are written.
    case writing
  }

  /// The current phase.
  public var phase: Phase
  /// Numbers read, numbers checked, or entries written.
  public var done: Int
  /// The final value of ``done``; nil if unknown.
  public var total: Int?
  /// The pack that is being written.
  public var pack: String?
}
