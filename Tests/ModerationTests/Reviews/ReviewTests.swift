// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct ReviewTests {
  init() async throws { try await TestDatabase.current.turnReviewsOn() }

  private let number: Int64 = 33_199_000_248

  private var decisions: DecisionStore { DecisionStore(pool: pool) }
  private var decisionService: DecisionService { DecisionService(pool: pool, reviews: none) }
  private var reviews: ReviewStore { ReviewStore(pool: pool) }
  private var reviewService: ReviewService { ReviewService(pool: pool, policy: each(2)) }
  /// Reviews decisions with reach only.
  private let none = ReviewPolicy(share: 0, maxReporters: 100)
  private func each(_ interval: Int) -> ReviewPolicy {
    var policy = none
    policy.goldenInterval = interval
    return policy
  }

  /// Established reporters complain about this number and about three others.
  private func complain(_ reporters: Int, of number: Int64) async throws {
    let reports = (0..<reporters).flatMap { index in
      [number, 33_199_000_001, 33_199_000_002, 33_199_000_003].map { number in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: now - 20 * 86_400, category: .robocall,
          reporter: [UInt8](repeating: UInt8(index), count: 16))
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now - 20 * 86_400)
  }

  private func decide(
    _ treatment: Decision.Treatment, of number: Int64? = nil, by account: String = "Ada", after seconds: Double = 0,
    service: DecisionService? = nil
  ) async throws -> Decision {
    let decision = try Decision(
      number: number ?? self.number, treatment: treatment, label: treatment == .identify ? "A shop" : nil,
      reason: "Because.", decidedBy: account, decidedAt: now + seconds)
    #expect(try await (service ?? decisionService).record(decision) == .recorded)
    return decision
  }

  private func review(
    _ decision: Decision, _ treatment: Decision.Treatment, by account: String
  ) async throws -> OpinionOutcome {
    let opinion = try ReviewOpinion(
      number: decision.number, decisionID: decision.id, treatment: treatment, note: nil, account: account,
      reviewedAt: now + 60)
    return try await reviewService.record(opinion, role: .moderator)
  }

  private func listed(for account: String) async throws -> [UUID] {
    try await reviewService.open(for: account).map(\.decisionID)
  }

  /// The share of the reporters that weigh less than before.
  private func discounted() async throws -> Int {
    _ = try await ReporterStore(pool: pool).recount(protected: .none, at: now + 120)
    return try await pool.withConnection { connection in
      try await connection.query("SELECT count(*)::integer FROM reporters WHERE judged > 0").map {
        Int(try $0.decode(0, as: Int32.self))
      }.first ?? 0
    }
  }

  @Test func `weights ignore an allow with reach until a second person confirms it`() async throws {
    try await complain(21, of: number)
    let decision = try await decide(.allow)
    #expect(try await discounted() == 0)
    #expect(try await listed(for: "Ada") == [])
    #expect(try await listed(for: "Bob") == [decision.id])
    // The author cannot confirm the decision.
    #expect(try await review(decision, .allow, by: "Ada") == .closed)
    #expect(try await discounted() == 0)
    #expect(try await review(decision, .allow, by: "Bob") == .recorded)
    #expect(try await review(decision, .allow, by: "Bob") == .recorded)
    #expect(try await listed(for: "Cleo") == [])
    #expect(try await review(decision, .allow, by: "Cleo") == .closed)
    #expect(try await discounted() == 21)
    _ = try await decisionService.undo(decision.id, of: number, decidedBy: "Ada", at: now + 90)
    #expect(try await discounted() == 0)
  }

  /// The first decision settles the hold, so the second one would have no reach of its own.
  @Test func `allowing a number again does not end the review of the decision before`() async throws {
    try await complain(5, of: number)
    let finding = BrigadeDetection.Finding(
      reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [Reporter([1])])
    _ = try await HoldStore(pool: pool).hold([(number, finding)], at: now - 60)
    _ = try await decide(.allow)
    #expect(try await discounted() == 0)
    let again = try await decide(.allow, after: 5)
    #expect(try await discounted() == 0)
    #expect(try await listed(for: "Bob") == [again.id])
    #expect(try await review(again, .allow, by: "Bob") == .recorded)
    #expect(try await discounted() == 5)
  }

  @Test func `an allow without reach counts at once even in the sample`() async throws {
    try await complain(20, of: number)
    let sampling = DecisionService(pool: pool, reviews: ReviewPolicy(share: 1, maxReporters: 100))
    let decision = try await decide(.allow, service: sampling)
    #expect(try await listed(for: "Bob") == [decision.id])
    #expect(try await discounted() == 20)
  }

  @Test func `a block of many reporters is reviewed and counts at once`() async throws {
    try await complain(101, of: number)
    let decision = try await decide(.block)
    #expect(try await listed(for: "Bob") == [decision.id])
    #expect(try await discounted() == 101)
  }

  @Test func `an upheld appeal awaits its confirmation`() async throws {
    try await complain(3, of: number)
    let appeals = AppealStore(pool: pool)
    let appealService = AppealService(pool: pool, reviews: none)
    try await appeals.file(try Appeal(number: number, statement: "It is mine.", filedAt: now))
    _ = try await appealService.settle(
      number, as: .upheld, by: Actor(name: "Ada", role: .moderator), answer: nil, at: now)
    let item = try #require(try await reviewService.open(for: "Bob").first)
    #expect(item.number == number)
    #expect(try await discounted() == 0)
  }

  @Test func `a bulk opens reviews too`() async throws {
    try await complain(21, of: number)
    let bulks = BulkStore(pool: pool)
    let bulkService = BulkService(pool: pool, reviews: none)
    let bulk = Bulk(
      treatment: .allow, reason: "Because.", worker: Actor(name: "Ada", role: .moderator), decidedAt: now)
    #expect(try await bulkService.apply(bulk, to: try await bulks.items([number])) == [])
    #expect(try await reviewService.open(for: "Bob").map(\.number) == [number])
    #expect(try await reviewService.open(for: "Ada") == [])
  }

  /// The preview of a bulk promises the number of reviews that the bulk then opens.
  @Test func `a bulk counts the decisions with reach`() async throws {
    try await complain(101, of: number)
    try await complain(21, of: number + 1)
    try await complain(20, of: number + 2)
    let bulks = BulkStore(pool: pool)
    let bulkService = BulkService(pool: pool, reviews: none)
    let items = try await bulks.items((0..<3).map { number + $0 })
    for (treatment, count) in [(Decision.Treatment.block, 1), (.identify, 1), (.allow, 2)] {
      let bulk = Bulk(
        treatment: treatment, label: treatment == .identify ? "A shop" : nil, reason: "Because.",
        worker: Actor(name: "Ada", role: .moderator), decidedAt: now)
      #expect(try await bulkService.reviewed(bulk, items) == count, "\(treatment)")
      guard treatment == .allow else { continue }
      #expect(try await bulkService.apply(bulk, to: items) == [])
      #expect(try await reviewService.open(for: "Bob").count == count)
    }
  }

  @Test func `an undone or replaced decision leaves the list`() async throws {
    try await complain(21, of: number)
    let first = try await decide(.allow)
    let second = try await decide(.block, after: 10)
    #expect(try await listed(for: "Bob") == [])
    #expect(try await review(first, .allow, by: "Bob") == .closed)
    _ = try await decisionService.undo(second.id, of: number, decidedBy: "Ada", at: now + 20)
    #expect(try await listed(for: "Bob") == [first.id])
    _ = try await decisionService.undo(first.id, of: number, decidedBy: "Ada", at: now + 30)
    #expect(try await listed(for: "Bob") == [])
    #expect(try await reviews.find(number, first.id, for: "Bob") == nil)
  }

  @Test func `a third person settles a dispute`() async throws {
    try await complain(21, of: number)
    let first = try await decide(.allow)
    #expect(try await review(first, .block, by: "Bob") == .recorded)
    #expect(try await listed(for: "Cleo") == [])
    let dispute = try #require(try await reviews.disputes().first)
    #expect(dispute.treatment == .allow && dispute.opinion.treatment == .block && dispute.decidedBy == "Ada")
    #expect(try await discounted() == 0)
    for account in ["Ada", "Bob"] {
      let own = try Decision(
        number: number, treatment: .allow, reason: "Mine.", decidedBy: account, decidedAt: now + 70)
      #expect(try await reviewService.settle(first.id, by: own, role: .administrator) == .closed)
    }
    let settled = try Decision(
      number: number, treatment: .allow, reason: "It is a bank.", decidedBy: "Cleo", decidedAt: now + 80)
    #expect(try await reviewService.settle(first.id, by: settled, role: .administrator) == .settled)
    // The decision is confirmed, and no new one was made.
    #expect(try await decisions.history(of: number).map(\.id) == [first.id])
    #expect(try await discounted() == 21)
    #expect(try await reviews.disputes() == [])
    let record = try #require(try await reviews.records(of: "Ada").first)
    #expect(record.reviewed == 1 && record.confirmed == 1 && record.overruled == 0)
  }

  @Test func `overruling replaces the decision`() async throws {
    try await complain(101, of: number)
    let first = try await decide(.block)
    #expect(try await review(first, .allow, by: "Bob") == .recorded)
    let settled = try Decision(
      number: number, treatment: .allow, reason: "It is a bank.", decidedBy: "Cleo", decidedAt: now + 80)
    #expect(try await reviewService.settle(first.id, by: settled, role: .administrator) == .settled)
    #expect(try await reviewService.settle(first.id, by: settled, role: .administrator) == .closed)
    #expect(try await decisions.standing(of: number)?.decisionID == settled.id)
    // Two persons chose to allow the number.
    #expect(try await listed(for: "Dan") == [])
    #expect(try await discounted() == 101)
    #expect(try await reviews.records(of: "Ada").map(\.overruled) == [1])
  }

  @Test func `golden cases measure the reviewer only`() async throws {
    let golden = try await decide(.block)
    #expect(try await reviewService.mark(number, by: Actor(name: "Admin", role: .administrator), at: now))
    #expect(try await reviewService.mark(number, by: Actor(name: "Admin", role: .administrator), at: now) == false)
    #expect(
      try await reviewService.mark(33_199_000_249, by: Actor(name: "Admin", role: .administrator), at: now) == false)
    // None before the second review, or the first one where the interval is as short as possible.
    #expect(try await listed(for: "Bob") == [])
    func listedAtOnce() async throws -> [UUID] {
      try await ReviewService(pool: pool, policy: each(0)).open(for: "Bob").map(\.decisionID)
    }
    #expect(try await listedAtOnce() == [])
    for place in 1...2 as ClosedRange<Int64> {
      try await complain(21, of: number + place)
      let decision = try await decide(.allow, of: number + place)
      #expect(try await listed(for: "Bob") == [decision.id])
      #expect(try await review(decision, .allow, by: "Bob") == .recorded)
      #expect(try await listedAtOnce() == [golden.id])
    }
    #expect(try await listed(for: "Bob") == [golden.id])
    for account in ["Ada", "Admin", "Cleo"] { #expect(try await listed(for: account) == []) }
    #expect(try await reviews.find(number, golden.id, for: "Ada") == nil)
    #expect(try await review(golden, .allow, by: "Bob") == .recorded)
    #expect(try await listed(for: "Bob") == [])
    let record = try #require(try await reviews.records(of: "Bob").first)
    #expect(record.golden == 1 && record.goldenRight == 0 && record.reviews == 2 && record.equal == 2)
    #expect(try await reviews.disputes() == [])
    #expect(try await reviews.ratedDecisions(since: now).map(\.count) == [2])
    #expect(try await decisions.standing(of: number)?.treatment == .block)
    let stored = try #require(try await reviews.goldenCases().first)
    #expect(stored.answers == 1 && stored.right == 0 && stored.treatment == .block)
    #expect(try await reviewService.unmark(number, golden.id, by: Actor(name: "Admin", role: .administrator), at: now))
    #expect(try await reviews.goldenCases() == [])
  }

  @Test func `ratings have the decision and the opinion`() async throws {
    try await complain(101, of: number)
    let decision = try await decide(.identify)
    #expect(try await review(decision, .block, by: "Bob") == .recorded)
    let rated = try #require(try await reviews.ratedDecisions(since: now).first)
    #expect(rated.category == .robocall)
    #expect(rated.ratings.map(\.account) == ["Ada", "Bob"] && rated.ratings.map(\.treatment) == [.identify, .block])
    #expect(try await reviews.ratedDecisions(since: now + 3_600) == [])
  }

  /// The rows are counts: they do not grow with the reviews.
  @Test func `ratings are counted by category, accounts and treatments`() async throws {
    let cases: [(Decision.Treatment, Decision.Treatment, String)] = [
      (.block, .block, "Bob"), (.block, .block, "Bob"), (.block, .allow, "Bob"), (.block, .block, "Cleo"),
      (.allow, .allow, "Bob"), (.allow, .allow, "Bob"),
    ]
    for (place, (treatment, opinion, account)) in cases.enumerated() {
      let number = number + Int64(place)
      try await complain(101, of: number)
      #expect(try await review(try await decide(treatment, of: number), opinion, by: account) == .recorded)
    }
    let rated = try await reviews.ratedDecisions(since: now)
    let rows = rated.map {
      "\($0.ratings.map { "\($0.account) \($0.treatment)" }.joined(separator: ", ")): \($0.count)"
    }
    #expect(
      Set(rows) == [
        "Ada block, Bob block: 2", "Ada block, Bob allow: 1", "Ada block, Cleo block: 1", "Ada allow, Bob allow: 2",
      ])
    #expect(rated.allSatisfy { $0.category == .robocall })
    // The same figures as from single decisions.
    let single = cases.map { treatment, opinion, account in
      Agreement.Units(
        ratings: [
          Agreement.Rating(rater: "Ada", value: place(treatment)),
          Agreement.Rating(rater: account, value: place(opinion)),
        ], count: 1)
    }
    let counted = rated.map { decisions in
      Agreement.Units(
        ratings: decisions.ratings.map { Agreement.Rating(rater: $0.account, value: place($0.treatment)) },
        count: decisions.count)
    }
    let (expected, found) = (Agreement.of(counted: single, values: 3), Agreement.of(counted: counted, values: 3))
    #expect(expected?.value == found?.value && expected?.units == 6 && found?.units == 6)
  }

  private func place(_ treatment: Decision.Treatment) -> Int {
    Decision.Treatment.allCases.firstIndex(of: treatment) ?? 0
  }

  /// Of two simultaneous settlements one is stored.
  @Test func `simultaneous settlements give one result`() async throws {
    try await complain(21, of: number)
    let first = try await decide(.allow)
    #expect(try await review(first, .block, by: "Bob") == .recorded)
    let settled = try ["Cleo", "Dan"].map {
      try Decision(number: number, treatment: .block, reason: "Calls.", decidedBy: $0, decidedAt: now + 80)
    }
    async let one = reviewService.settle(first.id, by: settled[0], role: .administrator)
    async let other = reviewService.settle(first.id, by: settled[1], role: .administrator)
    let outcomes = try await [one, other]
    #expect(outcomes.count { $0 == .settled } == 1 && outcomes.count { $0 == .closed } == 1)
    let winner = settled[outcomes[0] == .settled ? 0 : 1]
    #expect(try await decisions.history(of: number).map(\.id) == [first.id, winner.id])
    let events = try await pool.column("SELECT actor FROM audit_events WHERE action = 'review.settle'", as: String.self)
    #expect(events == [winner.decidedBy])
  }

  /// Of two simultaneous reviews one is stored.
  @Test func `simultaneous reviews do not overwrite each other`() async throws {
    try await complain(21, of: number)
    let decision = try await decide(.allow)
    async let first = review(decision, .allow, by: "Bob")
    async let second = review(decision, .block, by: "Cleo")
    let outcomes = try await [first, second]
    #expect(outcomes.count { $0 == .recorded } == 1)
    #expect(try await reviews.ratedDecisions(since: now).map(\.ratings.count) == [2])
  }
}
