// SPDX-License-Identifier: Apache-2.0

import Curation
public import Storage

/// Checks the gates of a publication from its figures, without I/O.
///
/// Gates check what is added and what is lost without a reason: neither numbers that left for a reason nor additions that
/// are expected count; see ``ExplainedChanges``.
public struct GateChecker: Sendable {
  private let limits: GateLimits
  /// Gates that do not apply, as for revocations.
  private let exempt: Set<Gate>

  public init(limits: GateLimits, exempt: Set<Gate> = []) {
    self.limits = limits
    self.exempt = exempt
  }

  /// Checks every gate for every pack and for the publication.
  /// - Parameters:
  /// - packs: the packs of this publication, and packs of the previous one that it lacks.
  /// - mayBeEmpty: whether a list without entries passes if none was lost without a reason; false if the files of the
  ///   previous publication are missing.
  public func check(_ packs: [PackStatistics], mayBeEmpty: Bool = true) -> [GateRecord] {
    var records = packs.flatMap(check)
    let entries = packs.reduce(0) { $0 + ($1.entries ?? 0) }
    let passes =
      entries > 0 || mayBeEmpty && packs.allSatisfy { ($0.formerEntries ?? 0) == $0.explained + $0.formerRuled }
    let explained = packs.reduce(0) { $0 + $1.explained }
    records.append(
      record(
        .nonEmpty, "", passes,
        entries > 0 ? .hasEntries(entries: entries) : passes ? .emptyForReason(explained: explained) : .noEntries))
    return records
  }

  private func check(_ pack: PackStatistics) -> [GateRecord] {
    let former = pack.formerEntries ?? 0
    let isLost = former - pack.explained - pack.formerRuled > limits.tolerance
    guard let entries = pack.entries else {
      return [record(.nonEmpty, pack.name, !isLost, .packMissing(formerEntries: former))]
    }
    let hasRoom = entries <= pack.cap
    let isMissed = entries == 0 && isLost
    return [
      record(.readable, pack.name, pack.damage == nil, pack.damage.map { .packUnreadable($0) } ?? .packReadable),
      record(
        .order, pack.name, pack.disorder == nil,
        pack.disorder.map { .numbersNotAscending(number: $0.number, previous: $0.previous) } ?? .numbersAscend),
      record(
        .cap, pack.name, hasRoom,
        hasRoom ? room(pack, entries) : .tooManyEntries(entries: entries, maximum: pack.cap)),
      record(
        .protected, pack.name, pack.protected.isEmpty,
        pack.protected.isEmpty ? .noProtectedNumbers : .protectedNumbers(pack.protected)),
      record(
        .nonEmpty, pack.name, !isMissed,
        isMissed ? .packEmpty(formerEntries: former) : .hasEntries(entries: entries)),
      size(pack, entries),
      churn(pack),
    ]
  }

  private func room(_ pack: PackStatistics, _ entries: Int) -> GateFinding {
    guard let first = pack.leftOut.first else { return .entriesWithinMaximum(entries: entries, maximum: pack.cap) }
    return .rulesWithoutRoom(
      entries: entries, maximum: pack.cap, rules: pack.leftOut.count,
      numbers: pack.leftOut.reduce(0) { $0 + $1.numbers }, range: first.range)
  }

  private func size(_ pack: PackStatistics, _ entries: Int) -> GateRecord {
    guard let former = pack.formerEntries else { return record(.size, pack.name, true, .firstOfItsName) }
    let change = GateFinding.SizeChange(
      entries: entries, sizeBytes: pack.bytes, formerEntries: former, formerBytes: pack.formerBytes,
      explained: pack.explained, expected: pack.expected, ruled: pack.ruled)
    let counted = entries - pack.ruled - pack.expected - pack.refilled
    let base = former - pack.formerRuled - pack.explained - pack.displaced
    // Some bytes hold thousands of numbers of a rule.
    let hasRules = pack.ruled + pack.formerRuled > 0
    // The sizes of files follow the counts of their entries.
    let least = Double(pack.formerBytes) * Double(base) / Double(max(1, former))
    let most = Double(pack.formerBytes) * Double(max(1, entries)) / Double(max(1, counted))
    let isSmall = abs(counted - base) <= limits.tolerance
    let isWithin =
      Double(counted) >= Double(base) * limits.minSize && Double(counted) <= Double(base) * limits.maxSize
      && (hasRules || Double(pack.bytes) >= least * limits.minSize && Double(pack.bytes) <= most * limits.maxSize)
    let lower = Self.percent(limits.minSize)
    let upper = max(lower, Self.percent(limits.maxSize))
    return record(
      .size, pack.name, isSmall || isWithin,
      isSmall || isWithin
        ? .sizeWithinLimits(change) : .sizeOutsideLimits(change, minimumPercent: lower, maximumPercent: upper))
  }

  private func churn(_ pack: PackStatistics) -> GateRecord {
    guard let former = pack.formerEntries else { return record(.churn, pack.name, true, .firstOfItsName) }
    let change = GateFinding.ChurnChange(
      added: pack.added, removed: pack.removed, formerEntries: former, explained: pack.explained,
      expected: pack.expected)
    let base = former - pack.formerRuled - pack.explained - pack.displaced
    let changes = pack.added - pack.expected - pack.refilled + pack.removed - pack.explained - pack.displaced
    let isWithin = Double(changes) <= max(Double(base) * limits.maxChurn, Double(limits.tolerance))
    return record(
      .churn, pack.name, isWithin,
      isWithin
        ? .churnWithinLimits(change) : .tooMuchChurn(change, maximumPercent: Self.percent(limits.maxChurn)))
  }

  private static func percent(_ part: Double) -> Int { Int((part * 100).rounded()) }

  private func record(_ gate: Gate, _ pack: String, _ passed: Bool, _ finding: GateFinding) -> GateRecord {
    GateRecord(gate: gate.rawValue, pack: pack, passed: passed || exempt.contains(gate), finding: finding)
  }
}

extension [GateRecord] {
  /// Adds the overruling account and reason to failed gates.
  func overruled(by overrules: [PublicationRequest.Overrule]) -> [GateRecord] {
    map { record in
      guard !record.passed, let gate = Gate(rawValue: record.gate), gate.canBeOverruled,
        let word = overrules.first(where: { $0.gate == gate })
      else { return record }
      var record = record
      (record.overruledBy, record.overruledWhy) = (word.by, word.reason)
      return record
    }
  }

  /// The failed gates that are not overruled.
  public var closed: [GateRecord] { filter { !$0.passed && $0.overruledBy == nil } }
}

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
  /// The publication is empty only if each number left for a reason, and no pack loses all of more than
  /// ``GateLimits/tolerance`` entries without one.
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

  public init(minSize: Double = 0.5, maxSize: Double = 2, maxChurn: Double = 0.5, tolerance: Int = 1_000) {
    self.minSize = minSize
    self.maxSize = maxSize
    self.maxChurn = maxChurn
    self.tolerance = tolerance
  }
}

/// The figures of a pack that gates check.
public struct PackStatistics: Sendable, Equatable {
  public struct Disorder: Sendable, Equatable {
    /// E.164 digits.
    public var number: Int64
    /// The number before it, which is not smaller.
    public var previous: Int64
  }

  public var name: String
  /// The maximum count of entries.
  public var cap: Int = Recipe.extensionEntries
  /// Its entries; nil if the publication has no such pack.
  public var entries: Int?
  public var bytes: Int = 0
  /// Nil if there was no previous pack.
  public var formerEntries: Int?
  public var formerBytes: Int = 0
  public var added: Int = 0
  public var removed: Int = 0
  /// The ``removed`` numbers that left for a reason.
  public var explained: Int = 0
  /// The ``added`` numbers that are expected.
  public var expected: Int = 0
  /// Its entries that rules list. Gates do not count them among the others.
  var ruled = 0
  /// The previous pack's entries that rules listed.
  var formerRuled = 0
  var leftOut: [AssembledPacks.LeftOut] = []
  /// The first few protected numbers in it.
  public var protected: [Int64] = []
  /// The first number out of order; nil for none.
  public var disorder: Disorder?
  /// The reason why it could not be read back; nil if it could.
  public var damage: String?

  private var isFull: Bool { max(entries ?? 0, formerEntries ?? 0) >= cap }
  /// Numbers that took the places of ``explained`` ones in a full pack.
  var refilled: Int { isFull ? max(0, min(explained, added - expected)) : 0 }
  /// Numbers that lost their places in a full pack to ``expected`` ones.
  var displaced: Int { isFull ? max(0, min(expected, removed - explained)) : 0 }
}
