// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The reasons of a listing or a decision: ground, facts, treatment, territory, automation and redress. It names no
/// reporter.
public struct StatementOfReasons: Sendable, Equatable {
  /// The cause of the treatment.
  public enum Ground: String, Sendable {
    case reports, decision, range
  }

  /// The figures of the publication that listed the number with this treatment.
  public struct Facts: Sendable, Equatable {
    /// Random; the name of the statement in exports.
    public var id: UUID
    /// The cause of the listing, and whether a program decided it.
    public var ground: Ground, isByProgram: Bool
    /// Reports of all categories.
    public var reports: Int64
    /// Reporters with a vote, and days with complaints of the last 64.
    public var reporters: Int, days: Int
    /// Names of the imported lists with the number.
    public var sources: [String]
    public var firstReportedAt: Date?, lastReportedAt: Date?
    /// The version of the thresholds.
    public var thresholds: Int32

    public init(
      id: UUID, ground: Ground = .reports, isByProgram: Bool = false, reports: Int64, reporters: Int, days: Int,
      sources: [String], firstReportedAt: Date?, lastReportedAt: Date?, thresholds: Int32
    ) {
      (self.id, self.ground, self.isByProgram) = (id, ground, isByProgram)
      (self.reports, self.reporters, self.days, self.sources) = (reports, reporters, days, sources)
      (self.firstReportedAt, self.lastReportedAt, self.thresholds) = (firstReportedAt, lastReportedAt, thresholds)
    }

    /// Whether no person has decided. A person has approved the rule for a range.
    public var isAutomatic: Bool { ground == .reports || ground == .decision && isByProgram }

    /// The figures for strangers: counts are rounded as in ``Explanation/coarse``.
    var coarse: Facts {
      var coarse = self
      coarse.reports = Int64(Explanation.coarseCount(Int(reports)))
      coarse.reporters = Explanation.coarseCount(reporters)
      return coarse
    }
  }

  /// A published pack that may contain the number.
  public struct Pack: Sendable, Equatable {
    public var name: String
    /// The region of its numbers; nil for all.
    public var region: String?

    public init(name: String, region: String?) { (self.name, self.region) = (name, region) }
  }

  /// E.164 digits.
  public var number: Int64
  public var ground: Ground
  /// The public reason of the decision, or its code.
  public var decisionReason: String?
  /// The category that phones show; nil for a name alone.
  public var category: ReportCategory?
  public var treatment: Decision.Treatment
  /// Since when it is in force.
  public var since: Date
  /// The effect of the newest publication, and of the next one; see ``Explanation/shown``.
  var shown: Shown, ahead: Shown
  /// Since when the newest publication lists it; nil where it does not.
  var listedAt: Date?
  /// The figures of the listing; nil before its publication.
  public var facts: Facts?
  /// Names of the listing conditions that are met.
  public var conditions: [String]
  /// Whether reports or lists have drawn attention to the number, and no person.
  var isDetectedAutomatically: Bool
  /// Whether no person has decided.
  public var isDecidedAutomatically: Bool
  public var packs: [Pack]
  /// The median time until an appeal is answered, in seconds; nil where too few were answered.
  public var answerTime: TimeInterval?
}

/// The effect of a publication on a number in apps.
public enum Shown: String, Sendable {
  case out, identify, block

  init(_ treatment: Decision.Treatment) {
    self = treatment == .block ? .block : treatment == .identify ? .identify : .out
  }
}

extension Explanation {
  /// The effect of the newest publication.
  public var shown: Shown { listing.map { $0.treatment == .block ? .block : .identify } ?? .out }

  /// The effect of the next publication, as far as a decision, a rule for its range, a protection or the misuse of the
  /// number settle it.
  public var ahead: Shown {
    // The decision or the rule that listed it may have ended since.
    let ground = listing.map { stated?.ground ?? $0.ground }
    guard
      protection != nil || decision != nil || ground == .decision || ground == .range && range == nil || hasNewRange
    else { return isVictim && shown == .block ? .identify : shown }
    return outlook.map { $0.isBlocked ? .block : .identify } ?? .out
  }

  /// Whether a rule for its range has come into force since the newest publication. The effect of an older rule
  /// stays: a recipe may have no room for it.
  private var hasNewRange: Bool {
    guard let range else { return false }
    let since = max(range.decidedAt ?? range.proposedAt, range.validFrom ?? .distantPast)
    return publishedAt.map { since > $0 } ?? true
  }

  /// The verdict as a heading: reports decide nothing about a number that its range lists.
  public var heading: Verdict {
    guard verdict == .quiet else { return verdict }
    return shown != .out ? .listed : ahead != .out ? .candidate : .quiet
  }

  /// The listing that a number would get in a publication made now.
  public struct Outlook: Sendable, Equatable {
    public let category: ReportCategory
    public let label: String?
    public let isBlocked: Bool
  }

  /// By the publication's rules; nil if it would contain the number only because of a directory entry, or not at all.
  public var outlook: Outlook? {
    let category = evaluation?.category ?? .other
    // No rule lists a number whose reports are held.
    let ranged = (hold == nil ? range : nil).map {
      Outlook(category: $0.category, label: $0.label, isBlocked: $0.treatment == .block && !isVictim)
    }
    switch verdict {
    case .protected, .held: return nil
    case .decided:
      guard let decision, decision.treatment != .allow else { return nil }
      return Outlook(
        category: decision.category ?? category, label: decision.label, isBlocked: decision.treatment == .block)
    case .listed, .candidate:
      if evaluation?.ceiling != .block, range?.treatment == .block, let ranged { return ranged }
      return Outlook(category: category, label: nil, isBlocked: evaluation?.ceiling == .block && !isVictim)
    case .needsReview, .quiet: return ranged
    }
  }

  /// The reasons of the listing, of the decision in force, or of the rule that lists it next; nil where it has none.
  public var statement: StatementOfReasons? {
    guard protection == nil else { return nil }
    func statement(
      _ ground: StatementOfReasons.Ground, _ reason: String?, _ category: ReportCategory?,
      _ treatment: Decision.Treatment, since: Date, _ facts: StatementOfReasons.Facts? = nil, met: [String] = [],
      isAutomatic: Bool = false
    ) -> StatementOfReasons {
      StatementOfReasons(
        number: number, ground: ground, decisionReason: reason, category: category, treatment: treatment, since: since,
        shown: shown, ahead: ahead, listedAt: listing?.listedAt, facts: facts, conditions: met,
        isDetectedAutomatically: score?.parts.contains { $0.reports > 0 } ?? false, isDecidedAutomatically: isAutomatic,
        packs: packs, answerTime: answerTime)
    }
    if let decision {
      return statement(
        .decision, decisionReason, decision.category ?? (decision.treatment == .block ? evaluation?.category : nil),
        decision.treatment, since: decision.decidedAt,
        // Until its publication, the figures are of an earlier listing.
        stated?.ground == .decision ? stated : nil, isAutomatic: isDecidedByProgram)
    }
    guard let listing else {
      guard let range, [.quiet, .needsReview].contains(verdict), ahead != .out else { return nil }
      return statement(
        .range, range.reason, range.category, ahead == .block ? .block : .identify,
        since: range.decidedAt ?? range.proposedAt)
    }
    // A decision or a rule that ended since the publication is still its cause.
    let ground = stated?.ground ?? listing.ground
    return statement(
      ground, ground == .range ? range?.reason : nil, listing.category,
      listing.treatment == .block ? .block : .identify, since: listing.listedAt, stated,
      met: ground == .reports ? evaluation?.conditions.filter(\.isMet).map(\.kind.rawValue) ?? [] : [],
      isAutomatic: stated?.isAutomatic ?? (ground == .reports))
  }
}

/// The JSON of the API; keys in snake_case.
extension StatementOfReasons: Encodable {
  private enum Key: String, CodingKey {
    case id, ground, decision_reason, category, treatment, since, facts, reports, reporters, days, sources
    case first_reported_on, last_reported_on, thresholds, version, met, automated_detection, automated_decision
    case territory, packs, regions, redress, appeal, usual_answer_hours
  }

  /// All members; absent where there is no value.
  public func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: Key.self)
    try json.encodeIfPresent(facts.map { $0.id.uuidString.lowercased() }, forKey: .id)
    try json.encode(ground.rawValue, forKey: .ground)
    try json.encodeIfPresent(decisionReason, forKey: .decision_reason)
    try json.encodeIfPresent(category?.slug, forKey: .category)
    try json.encode(treatment.rawValue, forKey: .treatment)
    try json.encode(since.ISO8601Format(), forKey: .since)
    try json.encode(isDetectedAutomatically, forKey: .automated_detection)
    try json.encode(isDecidedAutomatically, forKey: .automated_decision)
    if let facts {
      var nested = json.nestedContainer(keyedBy: Key.self, forKey: .facts)
      try nested.encode(facts.reports, forKey: .reports)
      try nested.encode(facts.reporters, forKey: .reporters)
      try nested.encode(facts.days, forKey: .days)
      try nested.encode(facts.sources, forKey: .sources)
      try nested.encodeIfPresent(facts.firstReportedAt.map { "\(CodedValue(day: $0))" }, forKey: .first_reported_on)
      try nested.encodeIfPresent(facts.lastReportedAt.map { "\(CodedValue(day: $0))" }, forKey: .last_reported_on)
      var limits = json.nestedContainer(keyedBy: Key.self, forKey: .thresholds)
      try limits.encode(facts.thresholds, forKey: .version)
      try limits.encode(conditions, forKey: .met)
    }
    var territory = json.nestedContainer(keyedBy: Key.self, forKey: .territory)
    try territory.encode(packs.map(\.name), forKey: .packs)
    try territory.encode(regions, forKey: .regions)
    var redress = json.nestedContainer(keyedBy: Key.self, forKey: .redress)
    try redress.encode("/appeal?number=\(number)", forKey: .appeal)
    try redress.encodeIfPresent(answerHours, forKey: .usual_answer_hours)
  }

  /// The regions of the packs, each once; empty where a pack is for all numbers.
  var regions: [String] {
    let regions = packs.map(\.region)
    return regions.contains(nil) ? [] : Set(regions.compactMap(\.self)).sorted()
  }

  /// ``answerTime`` in hours, rounded up.
  var answerHours: Int? { answerTime.map { max(1, Int(($0 / 3_600).rounded(.up))) } }
}

/// A sentence of a statement of reasons.
public struct StatementLine: CodedMessage {
  public enum Code: MessageCode {
    case block, identify, allow, changes
    case reports, decision, range, decisionReason
    case facts, sources
    case automatic, person, program
    case everywhere, regions
    case appeal, appealHours
  }

  public let code: Code
  public let values: [String: CodedValue]

  fileprivate init(_ code: Code, _ values: [String: CodedValue] = [:]) { (self.code, self.values) = (code, values) }
}

extension StatementOfReasons {
  /// The statement as sentences, in the order of their display.
  public var lines: [StatementLine] {
    let code: StatementLine.Code = ahead == .block ? .block : ahead == .identify ? .identify : .allow
    var lines = [
      shown == ahead
        ? StatementLine(code, ["since_day": CodedValue(day: listedAt ?? since)])
        : StatementLine(.changes, ["now": .text(shown.rawValue), "ahead": .text(ahead.rawValue)])
    ]
    switch ground {
    case .reports: lines.append(StatementLine(.reports, ["category": CodedValue(category ?? .other)]))
    case .decision: lines.append(StatementLine(.decision))
    case .range: lines.append(StatementLine(.range))
    }
    if let decisionReason { lines.append(StatementLine(.decisionReason, ["reason": .text(decisionReason)])) }
    if let facts {
      let (reports, reporters) = (CodedValue(facts.reports), CodedValue(facts.reporters))
      lines.append(
        StatementLine(.facts, ["reports": reports, "reporters": reporters, "days": CodedValue(facts.days)]))
      if !facts.sources.isEmpty {
        lines.append(StatementLine(.sources, ["sources": .text(facts.sources.joined(separator: ", "))]))
      }
    }
    let decided: StatementLine.Code = ground == .decision ? .program : .automatic
    lines.append(StatementLine(isDecidedAutomatically ? decided : .person))
    guard treatment != .allow else { return lines }
    if !packs.isEmpty {
      let names = CodedValue.text(packs.map(\.name).joined(separator: ", "))
      let areas = regions.joined(separator: ", ")
      lines.append(
        areas.isEmpty
          ? StatementLine(.everywhere, ["packs": names])
          : StatementLine(.regions, ["packs": names, "regions": .text(areas)]))
    }
    let hours = answerHours.map { StatementLine(.appealHours, ["count": CodedValue($0)]) }
    return lines + [hours ?? StatementLine(.appeal)]
  }
}
