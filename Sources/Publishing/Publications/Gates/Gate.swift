// SPDX-License-Identifier: Apache-2.0

/// A check that a publication must pass before it becomes visible.
public enum Gate: String, Sendable, CaseIterable, Comparable {
  /// Every pack can be read back: checksums, order, roles, labels, declared maxima.
  case readable
  /// Numbers ascend without duplicates.
  case order
  /// A pack has no more entries than its recipe and one extension allow.
  case cap
  /// No protected number is in a pack.
  case protected
  /// The publication is not empty, and no pack of more than ``GateLimits/tolerance`` entries becomes empty or is missing.
  case nonEmpty = "non-empty"
  /// Entries and bytes of a pack are within limits relative to the previous publication.
  case size
  /// The share of added and removed numbers is within its limit.
  case churn

  /// Whether an administrator may overrule the gate.
  ///
  /// Packs that phones would refuse and protected numbers can never be published.
  public var canBeOverruled: Bool {
    switch self {
    case .nonEmpty, .size, .churn: true
    case .readable, .order, .cap, .protected: false
    }
  }

  /// Compares by the order of the checks.
  public static func < (a: Gate, b: Gate) -> Bool {
    (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
  }
}

/// Allowed differences from the previous publication.
public struct GateLimits: Sendable, Equatable {
  /// Minimum entries and bytes of a pack, as a factor of the previous pack's.
  public var minSize: Double
  /// Maximum entries and bytes of a pack, as a factor of the previous pack's.
  public var maxSize: Double
  /// Maximum of added and removed numbers, as a fraction of the previous entries.
  public var maxChurn: Double
  /// Differences of up to this many entries always pass, because small lists vary a lot.
  public var tolerance: Int

  /// - Parameters: see the properties. Defaults: half to double the size, half of the numbers, 1,000 entries.
  public init(minSize: Double = 0.5, maxSize: Double = 2, maxChurn: Double = 0.5, tolerance: Int = 1_000) {
    self.minSize = minSize
    self.maxSize = maxSize
    self.maxChurn = maxChurn
    self.tolerance = tolerance
  }
}

/// The figures of a pack that gates check.
public struct PackStatistics: Sendable, Equatable {
  /// A number out of order.
  public struct Disorder: Sendable, Equatable {
    /// E.164 digits.
    public var number: Int64
    /// The number before it, which is not smaller.
    public var previous: Int64

    /// - Parameters: see the properties.
    public init(number: Int64, previous: Int64) {
      self.number = number
      self.previous = previous
    }
  }

  /// Its name.
  public var name: String
  /// The maximum count of entries.
  public var cap: Int
  /// Its entries; nil if the publication has no such pack.
  public var entries: Int?
  /// Size of its file in bytes.
  public var bytes: Int
  /// Entries of the previous pack; nil if there was none.
  public var formerEntries: Int?
  /// Size of the previous file in bytes.
  public var formerBytes: Int
  /// Numbers that the previous pack does not have.
  public var added: Int
  /// Numbers of the previous pack that this one does not have.
  public var removed: Int
  /// The first few protected numbers in it.
  public var protected: [Int64]
  /// The first number out of order; nil for none.
  public var disorder: Disorder?
  /// The reason why it could not be read back; nil if it could.
  public var damage: String?

  /// - Parameters: see the properties.
  public init(
    name: String, cap: Int = 1_999_999, entries: Int?, bytes: Int = 0, formerEntries: Int? = nil, formerBytes: Int = 0,
    added: Int = 0, removed: Int = 0, protected: [Int64] = [], disorder: Disorder? = nil, damage: String? = nil
  ) {
    self.name = name
    self.cap = cap
    self.entries = entries
    self.bytes = bytes
    self.formerEntries = formerEntries
    self.formerBytes = formerBytes
    self.added = added
    self.removed = removed
    self.protected = protected
    self.disorder = disorder
    self.damage = damage
  }
}
