// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Why a number is listed, or not: one explanation for apps, the command line and moderators.
///
/// It names no reporter, and contains only public texts of moderators.
public struct Explanation: Sendable, Equatable {
  /// Number of complaining reporters by weight.
  public struct Weights: Sendable, Equatable {
    public var full: Int
    /// Those whose vote counts in part: newcomers, and those who were often wrong.
    public var partial: Int
    /// Of ``partial``, those with exactly the weight of a new reporter; see ``ReporterWeight/newcomer``.
    public var new: Int
    public var none: Int
    /// Reporters whose phone has attested. Not for apps.
    public var attested: Int

    public init(full: Int = 0, partial: Int = 0, new: Int = 0, none: Int = 0, attested: Int = 0) {
      self.full = full
      self.partial = partial
      self.new = new
      self.none = none
      self.attested = attested
    }
  }

  /// Counts of all categories and all reporters.
  struct Totals: Sendable, Equatable {
    let reports: Int64
    let legitimate: Int64
    let reporters: Int
  }

  /// The totals for apps, cut once: a sum of counts that were cut would be smaller. Nil where they are the sums.
  private var cutTotals: Totals?

  var totals: Totals {
    func count(_ parts: [Score.Part]) -> Int64 { parts.reduce(0) { $0 + $1.reports } }
    return cutTotals
      ?? Totals(
        reports: count(score?.parts ?? []), legitimate: count(score?.parts.filter { !$0.category.isToxic } ?? []),
        reporters: weights.full + weights.partial + weights.none)
  }

  public struct Hold: Sendable, Equatable {
    public var reason: HoldReason
    public var heldAt: Date
    /// The strongest treatment that its reports can trigger; nil where the number itself is held.
    public var ceiling: SourceCeiling?
    /// Since when its reports identify it; nil where they do not.
    public var labeledAt: Date?

    public init(reason: HoldReason, heldAt: Date, ceiling: SourceCeiling? = nil, labeledAt: Date? = nil) {
      self.reason = reason
      self.heldAt = heldAt
      self.ceiling = ceiling
      self.labeledAt = labeledAt
    }

    /// The strongest treatment that its reports can trigger within the budget of labels; nil where the number itself is
    /// held.
    public var reportCeiling: SourceCeiling? { ceiling == .identify && labeledAt == nil ? .nothing : ceiling }
  }

  /// A burst that held nothing because it was usual.
  public struct Usual: Sendable, Equatable {
    public var burst: UsualBurst
    public var judgedAt: Date

    public init(burst: UsualBurst, judgedAt: Date) {
      self.burst = burst
      self.judgedAt = judgedAt
    }
  }

  /// Where the newest publication has it.
  public struct Listing: Sendable, Equatable {
    /// The category that phones show.
    public var category: ReportCategory
    /// The first publication that listed it without a break.
    public var serial: Int64
    /// When that publication became visible.
    public var listedAt: Date
    public var treatment: ListedNumber.Treatment
    public var ground: StatementOfReasons.Ground

    public init(
      category: ReportCategory, serial: Int64, listedAt: Date, treatment: ListedNumber.Treatment = .block,
      ground: StatementOfReasons.Ground = .reports
    ) {
      self.ground = ground
      self.category = category
      self.serial = serial
      self.listedAt = listedAt
      self.treatment = treatment
    }
  }

  /// E.164 digits.
  public var number: Int64
  /// The time for which scores are calculated.
  public var time: Date
  /// ISO 3166 alpha-2; nil where the number has no country.
  public var country: String?
  /// Nil when it was never reported.
  public var score: Score?
  public var evaluation: Evaluation?
  /// The source whose ceiling decides; nil where none does.
  public var sourceLimit: SourceLimit?
  /// Whether its reports would list it if one had arrived lately; see ``BrigadeDetection/judgedSince(_:)``.
  public var lacksArrivals = false
  public var firstReportedAt: Date?
  public var lastReportedAt: Date?
  public var weights = Weights()
  /// Names of the imported lists that contain it, by the list's id.
  public var lists: [Int32: String] = [:]
  public var decision: StandingDecision?
  /// The public reason of the decision.
  public var decisionReason: String?
  /// Whether that decision is a revocation: no pack contains the number, not even from a directory.
  public var isRevoked = false
  /// The hold; nil if there is none, or a decision has settled it.
  public var hold: Hold?
  /// The burst that held nothing when it was judged last; nil where there was none.
  public var usual: Usual?
  public var protection: ProtectionReason?
  /// Nil where the newest publication does not list it.
  public var listing: Listing?
  /// The time of the newest publication's data; nil before the first.
  public var publishedAt: Date?
  /// The rule that lists it with its range, unless its protection, decision or hold prevents that.
  public var range: RangeRule?
  public var openAppeals = 0
  /// Whether it is identified and not blocked; see ``Spoofing``.
  public var isVictim = false
  public var isDecidedByProgram = false
  /// The figures of the publication that began the listing; nil where it is not listed.
  public var stated: StatementOfReasons.Facts?
  /// The packs that may contain the number, for the statement of reasons.
  public var packs: [StatementOfReasons.Pack] = []
  /// The median time until an appeal is answered, in seconds; see ``StatementOfReasons/answerTime``.
  public var answerTime: TimeInterval?

  public init(number: Int64, time: Date) {
    self.number = number
    self.time = time
  }

  /// Whether apps may block it now: it is listed to be blocked, and no later decision, protection or appeal prevents
  /// that. Lookups by hash have the same rule.
  public var mayBlock: Bool {
    guard listing?.treatment == .block, protection == nil else { return false }
    return decision.map { $0.treatment == .block } ?? !isVictim
  }

  /// The verdict; a number that was never reported has one too.
  public var verdict: Verdict {
    if protection != nil { return .protected }
    if decision != nil { return .decided }
    return evaluation?.verdict ?? (hold == nil ? .quiet : .held)
  }
}

extension Explanation {
  /// The time for which figures for apps are calculated, and since which they leave out reports: the beginning of the
  /// day in UTC, or the time of the last publication if that is later.
  /// - Parameter published: `as_of` of the last publication; nil for none.
  public static func coarseTime(_ time: Date, published: Date? = nil) -> Date {
    let day = ComplaintDays.beginning(of: time)
    // A publication may have been made for a time to come, which would show every report until then.
    guard let published, published <= time else { return day }
    return max(day, published)
  }

  /// The explanation for apps, whose figures reveal neither the time of a single report nor the weight of its reporter:
  /// weights are rounded down to halves, confidence is calculated from the rounded weights, and of counts from 10 on only
  /// the first digit is kept.
  ///
  /// The weight of one report halves every 14 days, so the exact figure would reveal its time. Half units at the
  /// beginning of a day reveal no more than the day. Figures are rounded down and never up: a weight below a limit does
  /// not appear to reach it.
  public var coarse: Explanation {
    var coarse = self
    let totals = totals
    coarse.cutTotals = Totals(
      reports: Int64(Self.coarseCount(Int(totals.reports))),
      legitimate: Int64(Self.coarseCount(Int(totals.legitimate))),
      reporters: Self.coarseCount(totals.reporters))
    // It would tell a brigade what passes.
    coarse.usual = nil
    coarse.stated = stated?.coarse
    var confidence = 0.0
    if var score {
      confidence = Self.coarseConfidence(evidence: score.evidence, legitimate: score.legitimate)
      score.heat = Self.coarseWeight(score.heat)
      score.evidence = Self.coarseWeight(score.evidence)
      score.legitimate = Self.coarseWeight(score.legitimate)
      score.confidence = confidence
      for index in score.parts.indices {
        score.parts[index].heat = Self.coarseWeight(score.parts[index].heat)
        score.parts[index].evidence = Self.coarseWeight(score.parts[index].evidence)
        score.parts[index].reports = Int64(Self.coarseCount(Int(score.parts[index].reports)))
        score.parts[index].reporters = Self.coarseCount(score.parts[index].reporters)
      }
      score.calls = score.calls.coarse
      (score.reporters, score.networks) = (Self.coarseCount(score.reporters), Self.coarseCount(score.networks))
      coarse.weights.full = Self.coarseCount(weights.full)
      coarse.weights.partial = Self.coarseCount(weights.partial)
      coarse.weights.new = Self.coarseCount(weights.new)
      coarse.weights.none = Self.coarseCount(weights.none)
      coarse.weights.attested = 0
      coarse.score = score
    }
    for conditions in [\Evaluation.conditions, \.identifyConditions] {
      coarse.evaluation?[keyPath: conditions] = (evaluation?[keyPath: conditions] ?? []).map { condition in
        var condition = condition
        switch condition.kind {
        case .heat, .evidence: condition.have = Self.coarseWeight(condition.have)
        case .confidence: condition.have = confidence
        case .reporters, .networks:
          // A limit that is met appears to be met.
          let count = Double(Self.coarseCount(Int(condition.have)))
          condition.have = condition.isMet ? max(count, condition.need) : count
        case .days, .listComplaints, .listDays: break
        }
        return condition
      }
    }
    return coarse
  }

  /// A weight for apps, rounded down to halves. Sums of the same reports in another order differ by less than is added.
  public static func coarseWeight(_ value: Double) -> Double { (value * 2 + 1e-9).rounded(.down) / 2 }

  /// A count for apps, rounded down to its first digit.
  public static func coarseCount(_ count: Int) -> Int {
    var step = 1
    while count / step >= 10 { step *= 10 }
    return count / step * step
  }

  /// The confidence for apps, 0 to 1, from exact weights. The legitimate weight is rounded up, so that it is never too
  /// high.
  public static func coarseConfidence(evidence: Double, legitimate: Double) -> Double {
    twentieth(
      Confidence.wilsonLowerBound(toxic: coarseWeight(evidence), legitimate: (legitimate * 2).rounded(.up) / 2))
  }

  private static func twentieth(_ value: Double) -> Double { (value * 20).rounded(.down) / 20 }
}
