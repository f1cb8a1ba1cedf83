// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL
import Synchronization

/// Everything that explains a number, read in one round trip, because each lookup waits for it.
struct ExplanationQuery {
  /// An explanation with the rows it was made of, which a case shows too.
  struct Reading {
    var explanation: Explanation
    var decisions: [DecisionEvent]
    /// Settled or not.
    var hold: Hold?
    var appeals: [Appeal]
    /// Whether the owner of the number has suppressed it.
    var isSuppressed: Bool
  }

  private typealias Place = PostgresPipeline.Place

  private let number: Int64
  private let now: Date
  private let patterns: Place<Protection>
  private let numbers: Place<(number: Int64, protection: Protection)>
  private let standing: Place<StandingDecision>
  private let decisions: Place<DecisionEvent>
  private let holds: Place<Hold>
  private let usual: Place<Explanation.Usual>
  private let listings: Place<Explanation.Listing>
  private let statements: Place<StatementOfReasons.Facts>
  private let ranges: Place<RangeRule>
  private let appeals: Place<Appeal>
  private let appealedDays: Place<AppealedDay>
  private let version: Place<Int32?>
  /// Nil where the tables of the coordinator were read before.
  private let own: (removals: Place<UUID>, ceilings: Place<CeilingRow>, published: Place<Publication>)?
  private let facts: CoordinatorFacts
  private let names: Place<(id: Int32, name: String)>
  private let directory: Place<DirectoryName>
  private let record: Place<RecordRow>
  private let weights: Place<(weights: Explanation.Weights, lastArrival: Date?)>
  private let unseen: (parts: Place<UnseenPart>, marks: Place<SeenMarks>, calls: Place<VerifiedCalls>)?

  /// - Parameters:
  ///   - cut: leaves out reports of reporters that arrived since then; nil for all reports.
  ///   - facts: from the tables of a cluster's coordinator, which the node of the number does not have; nil to read them.
  ///   - pipeline: runs in a snapshot; later statements in it keep their plans.
  init(
    _ number: Int64, at time: Date, before cut: Date? = nil, facts: CoordinatorFacts? = nil,
    in pipeline: inout PostgresPipeline
  ) {
    (self.number, now) = (number, time)
    pipeline.add(SQL.keepPlans())
    patterns = pipeline.add(SQL.readProtectedPatterns(only: number))
    numbers = pipeline.add(SQL.readProtectedNumber(number: number))
    ranges = pipeline.add(SQL.readRangesOfNumber(number: number))
    version = pipeline.add(SQL.readNewestThresholdVersion())
    self.facts = facts ?? CoordinatorFacts()
    own =
      facts == nil
      ? (
        pipeline.add(SQL.readRemovalsOfNumber(number: number)), pipeline.add(SQL.readCeilings()),
        pipeline.add(SQL.readLatestPublication())
      ) : nil
    names = pipeline.add(SQL.readSourceNames(number: number))
    directory = pipeline.add(SQL.readDirectoryNames(number: number))
    standing = pipeline.add(SQL.readStandingDecision(number: number))
    decisions = pipeline.add(SQL.readDecisions(number: number))
    holds = pipeline.add(SQL.readHold(number: number))
    usual = pipeline.add(SQL.readUsualBurst(number: number))
    listings = pipeline.add(SQL.readListing(number: number))
    statements = pipeline.add(SQL.readStatement(number: number))
    appeals = pipeline.add(SQL.readAppealsOf(number: number))
    appealedDays = pipeline.add(SQL.readAppealedDaysOf(number: number, time: time, receivedBefore: cut))
    record = pipeline.add(SQL.readRecord(number: number))
    weights = pipeline.add(SQL.readNumberWeights(number: number, before: cut ?? .distantFuture))
    unseen = cut.map { cut in
      (
        pipeline.add(SQL.readUnseenParts(number: number, since: cut)),
        pipeline.add(SQL.readSeenMarks(number: number, since: cut)),
        pipeline.add(SQL.readVerifiedCalls(number: number, before: cut))
      )
    }
  }

  /// The time of the newest publication's data; nil before the first.
  func publishedAt(_ results: PostgresPipeline.Results) throws -> Date? {
    try own.map { try results.rows($0.published).first?.asOf } ?? facts.published
  }

  /// Not before the arrival of the last report; nil where there is none.
  func lastReceivedAt(_ results: PostgresPipeline.Results) throws -> Date? {
    try results.rows(record).first?.lastReceivedAt
  }

  /// - Parameters:
  ///   - time: the time for which scores are calculated. For apps also the time since which holds are left out.
  ///   - thresholds: the version in force.
  func answer(
    _ results: PostgresPipeline.Results, at time: Date, isForApps: Bool = false, thresholds: ThresholdCache
  ) async throws -> Reading {
    let (standing, decisions) = (try results.rows(standing).first, try results.rows(decisions))
    let (hold, appeals) = (try results.rows(holds).first, try results.rows(appeals))
    var explanation = Explanation(number: number, time: time)
    explanation.country = RegionMap.countries.region(of: number)
    explanation.protection = try ProtectionStore.rule(
      for: number, patterns: try results.rows(patterns), numbers: try results.rows(numbers))
    explanation.decision = standing
    let removals = try own.map { try results.rows($0.removals) } ?? facts.removals
    let ceilings = try own.map { try results.rows($0.ceilings) } ?? facts.ceilings
    explanation.isRevoked = standing.map { removals.contains($0.decisionID) } ?? false
    let decided = decisions.first { $0.id == standing?.decisionID }
    explanation.decisionReason = decided?.reason
    explanation.isDecidedByProgram = decided?.decidedBy.hasPrefix("app:") ?? false
    if let hold, !hold.isSettled, !isForApps || hold.heldAt <= time {
      explanation.hold = hold.explained
    }
    explanation.usual = try results.rows(usual).first
    explanation.listing = try results.rows(listings).first
    explanation.publishedAt = try publishedAt(results)
    explanation.stated = try results.rows(statements).first
    // No rule lists a number that a directory names.
    let rules = try results.rows(directory).isEmpty ? try results.rows(ranges).filter { $0.applies(at: now) } : []
    if !rules.isEmpty {
      let set = try await thresholds.set(try results.rows(version).first ?? nil, ceilings)
      explanation.range = CurationState(rules: rules.compactMap { $0.limited(by: set) }).rule(for: number)
    }
    explanation.openAppeals = appeals.count { $0.state == .open }
    // A decision takes precedence.
    let victims = AppealStore.victims(try results.rows(appealedDays))
    explanation.isVictim = explanation.decision == nil && victims.contains(number)
    if var record = RecordAssembler.record(of: try results.rows(record)) {
      let set = try await thresholds.set(try results.rows(version).first ?? nil, ceilings)
      var (weights, lastArrival) = try results.rows(weights).first ?? (Explanation.Weights(), nil)
      var isSeen = true
      if let unseen {
        let parts = try results.rows(unseen.parts)
        isSeen = record.remove(parts, marks: try results.rows(unseen.marks).first)
        for part in parts { weights.add(part.weights) }
        record.calls = try results.rows(unseen.calls).first ?? VerifiedCalls()
      }
      if isSeen { explanation.add(record, weights, lastArrival: lastArrival, by: set) }
    }
    let lists = Set(explanation.score?.lists.map(\.appID) ?? [])
    for source in try results.rows(names) where lists.contains(source.id) { explanation.lists[source.id] = source.name }
    return Reading(
      explanation: explanation, decisions: decisions, hold: hold, appeals: appeals,
      isSuppressed: try results.rows(numbers).contains { $0.protection.isSuppression })
  }
}

extension Explanation.Weights {
  fileprivate mutating func add(_ other: Explanation.Weights) {
    full += other.full
    partial += other.partial
    new += other.new
    none += other.none
  }
}

extension Explanation {
  fileprivate mutating func add(
    _ record: NumberRecord, _ weights: Weights, lastArrival: Date?, by thresholds: ThresholdSet
  ) {
    let score = Score(record, at: time)
    var overrides = OverrideState(
      country: country, isProtected: protection != nil, isDecided: decision != nil,
      isHeld: hold.map { $0.reportCeiling == nil } ?? false, reportCeiling: hold?.reportCeiling ?? .block)
    self.score = score
    self.weights = weights
    var evaluation = score.evaluate(by: thresholds, in: overrides)
    if hold == nil, !isJudged(record, lastArrival: lastArrival) {
      let judged = evaluation.verdict
      (overrides.reportCeiling, overrides.isJudged) = (record.unjudgedCeiling, false)
      evaluation = score.evaluate(by: thresholds, in: overrides)
      lacksArrivals = judged == .candidate && evaluation.verdict != .candidate
    }
    self.evaluation = evaluation
    sourceLimit = score.sourceLimit(by: thresholds, country: country)
    (firstReportedAt, lastReportedAt) = (record.firstReportedAt, record.lastReportedAt)
  }

  /// Whether the review of a publication judges its reports, as ``SQL/readReviewable(heat:reporters:since:votes:)`` says.
  private func isJudged(_ record: NumberRecord, lastArrival: Date?) -> Bool {
    if let lastArrival, lastArrival >= BrigadeDetection.judgedSince(time) { return true }
    if record.isListed, !record.sources.isEmpty { return true }
    let legitimate = record.standing.parts.first { $0.category == .legitimate }?.reports ?? 0
    return legitimate >= BrigadeDetection.minOnEachSide
  }
}

/// Gathers what explains a number.
public struct ExplanationStore: Sendable {
  private let pool: PostgresPool
  private let nodes: ShardNodes
  private let thresholds: ThresholdCache
  private let known = KnownFacts()

  public init(pool: PostgresPool) {
    self.pool = pool
    nodes = ShardNodes(pool: pool)
    thresholds = ThresholdCache(pool: pool)
  }

  /// Why a number is listed at `time`, or not. Everything is from one snapshot.
  public func explain(_ number: Int64, at time: Date) async throws -> Explanation {
    var pipeline = PostgresPipeline()
    let question = ExplanationQuery(number, at: time, in: &pipeline)
    return try await question.answer(try await pool.snapshot(pipeline), at: time, thresholds: thresholds).explanation
  }

  /// The same for apps: figures are rounded, and as of the last publication or the beginning of the day, whichever is
  /// later; see ``Explanation/coarse``.
  ///
  /// Otherwise lookups before and after a call would show whether the called person has reported it.
  public func explainCoarsely(_ number: Int64, at time: Date) async throws -> Explanation {
    let reader = try await nodes.reader(of: number)
    // The node of a number lacks the tables of the coordinator.
    let facts = try await nodes.isCluster ? known.read(about: number, in: pool) : nil
    var pipeline = PostgresPipeline()
    var question = ExplanationQuery(number, at: time, facts: facts, in: &pipeline)
    var results = try await reader.snapshot(pipeline)
    let cut = Explanation.coarseTime(time, published: try question.publishedAt(results))
    // Few numbers have new reports, and only these need a second snapshot.
    if let last = try question.lastReceivedAt(results), last >= cut {
      pipeline = PostgresPipeline()
      question = ExplanationQuery(number, at: time, before: cut, facts: facts, in: &pipeline)
      results = try await reader.snapshot(pipeline)
    }
    let reading = try await question.answer(results, at: cut, isForApps: true, thresholds: thresholds)
    // Nothing tells a stranger that the number was ever reported, or that its owner has asked.
    guard !reading.isSuppressed else {
      var unknown = Explanation(number: number, time: cut)
      unknown.country = reading.explanation.country
      return unknown
    }
    return reading.explanation.coarse
  }
}

/// Facts about a number from the tables of a cluster's coordinator.
struct CoordinatorFacts: Sendable {
  /// The revocations that remove the number.
  var removals: [UUID] = []
  var ceilings: [CeilingRow] = []
  /// The time of the newest publication.
  var published: Date?
}

/// The last ones read. While the coordinator does not answer, nothing is published and no source changes, so they stay;
/// only that a revocation has removed a number, which is allowed then, is left out.
private final class KnownFacts: Sendable {
  private let last = Mutex(CoordinatorFacts())

  func read(about number: Int64, in pool: PostgresPool) async throws -> CoordinatorFacts {
    do {
      let (removals, ceilings, newest) = try await pool.withConnection {
        try await $0.pipeline(
          SQL.readRemovalsOfNumber(number: number), SQL.readCeilings(), SQL.readLatestPublication())
      }
      let facts = CoordinatorFacts(removals: removals, ceilings: ceilings, published: newest.first?.asOf)
      last.withLock { $0 = facts }
      return facts
    } catch let error as PostgresError where StoreFailure(error) == .unavailable {
      var facts = last.withLock { $0 }
      facts.removals = []
      return facts
    }
  }
}

extension SQL {
  /// Number of reporters of a number that count in full, in part, and not at all, and when the last of their reports before a
  /// time arrived.
  static func readNumberWeights(
    number: Int64, before time: Date
  ) -> Statement<(weights: Explanation.Weights, lastArrival: Date?)> {
    Statement(
      """
      SELECT count(*) FILTER (WHERE weight >= 1), count(*) FILTER (WHERE weight > 0 AND weight < 1),
             count(*) FILTER (WHERE weight = $2::double precision), count(*) FILTER (WHERE weight <= 0), count(a.reporter),
             max(r.received_at) FILTER (WHERE r.received_at < $3)
      FROM number_reporters r LEFT JOIN attested_reporters a ON a.reporter = r.reporter WHERE r.number = $1
      """,
      number, ReporterWeight.newcomer, time
    ) { row in
      let weights = Explanation.Weights(
        full: Int(try row.decode(0, as: Int64.self)), partial: Int(try row.decode(1, as: Int64.self)),
        new: Int(try row.decode(2, as: Int64.self)), none: Int(try row.decode(3, as: Int64.self)),
        attested: Int(try row.decode(4, as: Int64.self)))
      return (weights, try row.decode(5))
    }
  }

  /// The listing of a number in the newest publication.
  package static func readListing(number: Int64) -> Statement<Explanation.Listing> {
    Statement(
      "SELECT category_id, serial, listed_at, treatment = 0, cause FROM \(ListedSQL.ofNumber) AS l",
      number
    ) { row in
      Explanation.Listing(
        category: try row.category(0), serial: try row.decode(1), listedAt: try row.decode(2),
        treatment: try row.decode(3) ? .block : .identify,
        ground: [.reports, .decision, .range][Int(try row.decode(4, as: Int16.self))])
    }
  }

  /// Names of the imported lists that contain a number.
  static func readSourceNames(number: Int64) -> Statement<(id: Int32, name: String)> {
    Statement(
      "SELECT a.app_id, a.name FROM number_sources s JOIN apps a ON a.app_id = s.app_id WHERE s.number = $1",
      number
    ) { (try $0.decode(0), try $0.decode(1)) }
  }
}
