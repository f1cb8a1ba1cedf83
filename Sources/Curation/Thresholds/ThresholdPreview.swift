// SPDX-License-Identifier: Apache-2.0

/// The numbers that another set of thresholds would add to a publication and remove from it.
///
/// Numbers are added one by one; memory is limited by the number of kinds and of kept examples.
public struct ThresholdPreview: Sendable, Equatable, Codable {
  /// Numbers of one category and country.
  public struct Kind: Hashable, Sendable, Codable {
    public var category: ReportCategory
    /// ISO 3166 alpha-2; nil for those without a country.
    public var country: String?

    public init(category: ReportCategory, country: String?) {
      self.category = category
      self.country = country
    }
  }

  /// Number of added and removed numbers of a kind.
  public struct Change: Sendable, Equatable, Codable {
    /// Listed only with the change.
    public var added = 0
    /// Listed only without it.
    public var taken = 0
    /// Listed either way.
    public var kept = 0
    /// Blocked only with the change, of those that are listed either way.
    public var raised = 0
    /// Blocked only without it, of those that are listed either way.
    public var lowered = 0

    public var changed: Int { added + taken + raised + lowered }
  }

  /// A number that is added or removed.
  public struct Example: Sendable, Equatable, Codable {
    /// E.164 digits.
    public var number: Int64
    public var kind: Kind
    public var score: Score
  }

  /// All kinds with a number that is listed with the change or without it.
  public private(set) var changes: [Kind: Change] = [:]
  /// Number of numbers that are listed independently of thresholds: by decisions and approved ranges.
  public var fixed = 0
  /// Candidates that the next search for brigading would hold only with the change.
  public var newlyHeld = 0
  /// Candidates that it would hold only without the change.
  public var released = 0
  private var hottestAdded: Hottest
  private var hottestTaken: Hottest

  /// - Parameter examples: the most examples of added and of removed numbers each; 0 or more.
  public init(examples: Int) {
    hottestAdded = Hottest(limit: examples)
    hottestTaken = Hottest(limit: examples)
  }

  /// The added numbers with the most heat, highest heat first.
  public var added: [Example] { hottestAdded.sorted }

  /// The removed numbers with the most heat, highest heat first.
  public var taken: [Example] { hottestTaken.sorted }

  public var total: Change {
    changes.values.reduce(into: Change()) { total, change in
      total.added += change.added
      total.taken += change.taken
      total.kept += change.kept
      total.raised += change.raised
      total.lowered += change.lowered
    }
  }

  /// Adds a number that is listed with the change, without it, or both.
  /// - Parameters:
  ///   - before: its treatment without the change; ``SourceCeiling/nothing`` where it is not listed.
  ///   - after: its treatment with the change.
  public mutating func take(
    _ number: Int64, _ score: Score, as kind: Kind, before: SourceCeiling, after: SourceCeiling
  ) {
    switch (before > .nothing, after > .nothing) {
    case (false, false): return
    case (true, true):
      changes[kind, default: Change()].kept += 1
      if after > before { changes[kind, default: Change()].raised += 1 }
      if after < before { changes[kind, default: Change()].lowered += 1 }
    case (false, true):
      changes[kind, default: Change()].added += 1
      hottestAdded.take(Example(number: number, kind: kind, score: score))
    case (true, false):
      changes[kind, default: Change()].taken += 1
      hottestTaken.take(Example(number: number, kind: kind, score: score))
    }
  }

  /// The numbers with the most heat; of equally hot ones the smallest.
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
