/// What a publication must pass before it becomes visible.
public enum Gate: String, Sendable, CaseIterable, Comparable {
  /// Every pack is read back and is whole: checksums, order, roles, labels, declared maxima.
  case readable
  /// Numbers ascend and none is there twice.
  case order
  /// No more entries than the recipe and one extension take.
  case cap
  /// No protected number is in a pack.
  case protected
  /// A pack is not empty, and none is missing that was there.
  case nonEmpty = "non-empty"
  /// Entries and bytes lie within bounds of the publication before.
  case size
  /// Not too many numbers came and went at once.
  case churn

  /// Whether an administrator may let a publication pass all the same.
  ///
  /// What a phone would refuse, or what must never be published, stays out whoever says so.
  public var canBeOverruled: Bool {
    switch self {
    case .nonEmpty, .size, .churn: true
    case .readable, .order, .cap, .protected: false
    }
  }

  /// In the order they are looked at.
  public static func < (a: Gate, b: Gate) -> Bool {
    (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
  }
}

/// What a publication may differ from the one before.
public struct GateLimits: Sendable, Equatable {
  /// Least entries and bytes of a pack, as a part of what the one before had.
  public var leastSize: Double
  /// Most entries and bytes of a pack, in the same way.
  public var greatestSize: Double
  /// Most numbers that come and go, as a part of the entries before.
  public var greatestChurn: Double
  /// Differences of so few entries are never too many: small lists change a lot.
  public var slack: Int

  /// - Parameters: see the properties; half to double the size, half of the numbers, 1,000 entries.
  public init(leastSize: Double = 0.5, greatestSize: Double = 2, greatestChurn: Double = 0.5, slack: Int = 1_000) {
    self.leastSize = leastSize
    self.greatestSize = greatestSize
    self.greatestChurn = greatestChurn
    self.slack = slack
  }
}

/// What is known of a pack that wants to pass.
public struct PackStatistics: Sendable, Equatable {
  /// A number that does not ascend.
  public struct Disorder: Sendable, Equatable {
    /// E.164 digits.
    public var number: Int64
    /// The number before it, which is not less.
    public var previous: Int64

    /// - Parameters: see the properties.
    public init(number: Int64, previous: Int64) {
      self.number = number
      self.previous = previous
    }
  }

  /// Its name.
  public var name: String
  /// The most entries it may have.
  public var cap: Int
  /// Its entries; nil when the publication has no such pack any more.
  public var entries: Int?
  /// Length of its file.
  public var bytes: Int
  /// Entries of the pack before it; nil when there was none.
  public var formerEntries: Int?
  /// Length of the file before it.
  public var formerBytes: Int
  /// Numbers that were not in the pack before.
  public var added: Int
  /// Numbers that were in the pack before and are not in this one.
  public var removed: Int
  /// Protected numbers in it; the first few.
  public var protected: [Int64]
  /// The first number that does not ascend; nil when all do.
  public var disorder: Disorder?
  /// Why it could not be read back; nil when it could.
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
