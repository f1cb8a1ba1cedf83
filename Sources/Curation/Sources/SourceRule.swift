// SPDX-License-Identifier: Apache-2.0

/// The weight and limits of an imported list.
///
/// A list's rows have no reporters and no networks. The list's own limits replace these: enough rows on enough days are
/// sufficient, together with the category's heat, evidence and confidence.
public struct SourceRule: Sendable, Equatable, Codable {
  /// The limits for a list's rows about a number.
  public struct Bar: Sendable, Equatable, Codable {
    /// Least complaints, 1 or more.
    public var complaints: Int
    /// Least distinct days, 1 to 64.
    public var days: Int

    public init(complaints: Int, days: Int) {
      self.complaints = complaints
      self.days = days
    }
  }

  /// The id of the rule for lists without their own rule.
  public static let everyList: Int32 = 0
  /// The name of this rule, which no list has.
  public static let everyListName = "default"

  /// The list's id in `apps`; ``everyList`` for all others.
  public var appID: Int32
  /// The weight of one row, 0 to 10; stored rows keep their weight. With 0 the list lists nothing.
  public var weight: Double
  /// The limits for a number that is not listed.
  public var enter: Bar
  /// The limits for a listed number to stay listed; none is above ``enter``.
  public var leave: Bar
  /// Least complaints to block a number, 1 to 1,000,000; with fewer, a list with a higher ceiling identifies it.
  public var blockComplaints: Int
  /// Whether the list alone may block numbers that belong to no place, such as toll-free ones; otherwise it identifies them.
  /// Callers often show such a number falsely, because people know it: complaints are about the caller, a block hits the owner.
  public var blocksShared: Bool

  public init(
    appID: Int32, weight: Double, enter: Bar, leave: Bar, blockComplaints: Int = 1, blocksShared: Bool = false
  ) {
    self.appID = appID
    self.weight = weight
    self.enter = enter
    self.leave = leave
    self.blockComplaints = blockComplaints
    self.blocksShared = blocksShared
  }

  /// - Parameter listed: whether the last publication lists it.
  public func bar(listed: Bool) -> Bar { listed ? leave : enter }
}

extension SourceRule {
  /// Reads what servers of 0.1.0 have stored, too: it has no `blocksShared`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      appID: try values.decode(Int32.self, forKey: .appID), weight: try values.decode(Double.self, forKey: .weight),
      enter: try values.decode(Bar.self, forKey: .enter), leave: try values.decode(Bar.self, forKey: .leave),
      blockComplaints: try values.decode(Int.self, forKey: .blockComplaints),
      blocksShared: try values.decodeIfPresent(Bool.self, forKey: .blocksShared) ?? false)
  }
}

/// A change of the weight and limits of a list. Values that are nil stay.
public struct SourceRuleChange: Sendable, Equatable {
  public var weight: Double?
  /// The new limits of ``SourceRule/enter``.
  public var complaints: Int?, days: Int?
  public var blockComplaints: Int?
  public var blocksShared: Bool?
  /// The new limits of ``SourceRule/leave``; nil for the present ones, or for lower entering limits.
  public var leaveComplaints: Int?, leaveDays: Int?

  public init(
    weight: Double? = nil, complaints: Int? = nil, days: Int? = nil, leaveComplaints: Int? = nil, leaveDays: Int? = nil,
    blockComplaints: Int? = nil, blocksShared: Bool? = nil
  ) {
    (self.weight, self.complaints, self.days, self.blockComplaints) = (weight, complaints, days, blockComplaints)
    self.blocksShared = blocksShared
    (self.leaveComplaints, self.leaveDays) = (leaveComplaints, leaveDays)
  }

  public func applied(to rule: SourceRule) -> SourceRule {
    var rule = rule
    rule.weight = weight ?? rule.weight
    rule.enter = .init(complaints: complaints ?? rule.enter.complaints, days: days ?? rule.enter.days)
    rule.leave = .init(
      complaints: leaveComplaints ?? min(rule.leave.complaints, rule.enter.complaints),
      days: leaveDays ?? min(rule.leave.days, rule.enter.days))
    rule.blockComplaints = blockComplaints ?? rule.blockComplaints
    rule.blocksShared = blocksShared ?? rule.blocksShared
    return rule
  }
}

/// The strongest action that a source can trigger alone.
public enum SourceCeiling: String, Sendable, CaseIterable, Comparable, Codable {
  /// Its entries are stored and shown, and help neither to list a number nor to open a case.
  case nothing
  /// Its entries alone put a number into the review queue, and corroborate reports; see ``IdentifyRule``.
  case review
  /// Its entries alone list a number to identify it.
  case identify
  /// Its entries alone list a number as reports do.
  case block

  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .nothing: 0
    case .review: 1
    case .identify: 2
    case .block: 3
    }
  }
}

/// How often moderators confirmed a source, over the numbers that it has or had complaints about and that have a
/// decision in force.
public struct SourcePrecision: Sendable, Equatable {
  /// The least decided numbers for a suspension.
  static let minDecided = 10
  /// The precision below which a source is suspended.
  public static let lowest = 0.5

  /// Numbers that decisions block or identify.
  public var confirmed: Int
  /// Numbers that decisions allow.
  public var wrong: Int

  public init(confirmed: Int = 0, wrong: Int = 0) {
    self.confirmed = confirmed
    self.wrong = wrong
  }

  public var decided: Int { confirmed + wrong }

  /// confirmed / (confirmed + wrong), 0 to 1; nil without decisions.
  public var share: Double? { decided > 0 ? Double(confirmed) / Double(decided) : nil }

  /// Whether the source is suspended: at least ``minDecided`` numbers are decided, and the upper bound of the Wilson
  /// score interval at 95 % is below ``lowest``. See ``Confidence/wilsonUpperBound(toxic:legitimate:)`` for its source.
  /// Of 10 numbers at most 1 is confirmed then, of 100 at most 40.
  public var isTooLow: Bool {
    decided >= Self.minDecided
      && Confidence.wilsonUpperBound(toxic: Double(confirmed), legitimate: Double(wrong)) < Self.lowest
  }
}
