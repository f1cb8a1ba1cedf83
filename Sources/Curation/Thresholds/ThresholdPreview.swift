/// What another set of thresholds would add to a publication and take from it.
///
/// Numbers are handed in one by one; memory is bounded by the kinds there are and the examples that are kept.
public struct ThresholdPreview: Sendable, Equatable, Codable {
  /// Numbers of one category and country.
  public struct Kind: Hashable, Sendable, Codable {
    /// The category they are listed under.
    public var category: ReportCategory
    /// ISO 3166 alpha-2; nil for those without a country.
    public var country: String?

    /// - Parameters: see the properties.
    public init(category: ReportCategory, country: String?) {
      self.category = category
      self.country = country
    }
  }

  /// How many numbers of a kind come and go.
  public struct Change: Sendable, Equatable, Codable {
    /// Listed only with the change.
    public var added = 0
    /// Listed only without it.
    public var taken = 0
    /// Listed either way.
    public var kept = 0
  }

  /// A number that comes or goes.
  public struct Example: Sendable, Equatable, Codable {
    /// E.164 digits.
    public var number: Int64
    /// Its category and country.
    public var kind: Kind
    /// What speaks against it.
    public var score: Score
  }

  /// Every kind of which a number is listed with the change or without it.
  public private(set) var changes: [Kind: Change] = [:]
  /// Numbers that are listed whatever thresholds say: by decisions and approved ranges.
  public var fixed = 0
  /// Candidates that tonight's review for brigades would hold back only with the change.
  public var newlyHeld = 0
  /// Candidates that it would hold back only without the change.
  public var released = 0
  private var hottestAdded: Hottest
  private var hottestTaken: Hottest

  /// - Parameter examples: the most that are kept of what comes, and of what goes; 0 or more.
  public init(examples: Int) {
    hottestAdded = Hottest(limit: examples)
    hottestTaken = Hottest(limit: examples)
  }

  /// The hottest numbers that come, hottest first.
  public var added: [Example] { hottestAdded.sorted }

  /// The hottest numbers that go, hottest first.
  public var taken: [Example] { hottestTaken.sorted }

  /// All kinds together.
  public var total: Change {
    changes.values.reduce(into: Change()) { total, change in
      total.added += change.added
      total.taken += change.taken
      total.kept += change.kept
    }
  }

  /// Takes a number that is listed with the change, without it, or both.
  public mutating func take(_ number: Int64, _ score: Score, as kind: Kind, before: Bool, after: Bool) {
    switch (before, after) {
    case (false, false): return
    case (true, true): changes[kind, default: Change()].kept += 1
    case (false, true):
      changes[kind, default: Change()].added += 1
      hottestAdded.take(Example(number: number, kind: kind, score: score))
    case (true, false):
      changes[kind, default: Change()].taken += 1
      hottestTaken.take(Example(number: number, kind: kind, score: score))
    }
  }

  /// The hottest of many, of equals the least number.
  private struct Hottest: Sendable, Equatable, Codable {
    let limit: Int
    private(set) var kept: [Example] = []

    init(limit: Int) { self.limit = limit }

    var sorted: [Example] { kept.sorted(by: Self.isHotter) }

    mutating func take(_ example: Example) {
      guard limit > 0 else { return }
      if kept.count >= limit, let last = kept.last, !Self.isHotter(example, last) { return }
      kept.insert(example, at: kept.firstIndex { Self.isHotter(example, $0) } ?? kept.endIndex)
      if kept.count > limit { kept.removeLast() }
    }

    static func isHotter(_ left: Example, _ right: Example) -> Bool {
      (right.score.heat, left.number) < (left.score.heat, right.number)
    }
  }
}
