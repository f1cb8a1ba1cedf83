// SPDX-License-Identifier: Apache-2.0

import Foundation
import Moderation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@testable import Curation

/// Attacks by 200 accounts on ten innocent numbers, among honest complaints about real nuisances.
@Suite(.database) struct BrigadeTests {
  enum Style: String, CaseIterable, Sendable {
    case newcomersAtOnce, newcomersOverFiveDays, agedAccountsOfOneNetwork, oneTextFromEverywhere, aBitOfEverything
    case agedAccountsOnOneDay
  }

  private let innocent = (0..<10).map { 33_199_000_100 + Int64($0) * 1_000 }
  private let nuisances = (0..<150).map { 33_170_000_000 + Int64($0) * 997 }

  private func reporter(_ kind: UInt8, _ index: Int) -> [UInt8] {
    [kind, UInt8(index >> 8), UInt8(index & 255)] + [UInt8](repeating: kind, count: 13)
  }

  private func network(_ index: Int) -> [UInt8] {
    var mixer = SeededGenerator(seed: UInt64(index))
    return withUnsafeBytes(of: mixer.next()) { Array($0) }
  }

  private func report(
    _ number: Int64, by reporter: [UInt8], at time: Date, network: [UInt8], comment: String? = nil
  ) -> Report {
    Report(
      number: number, appID: 1, reportID: UUID(), reportedAt: time, category: .robocall, reporter: reporter,
      comment: comment, network: network)
  }

  /// Stores reports day by day.
  private func take(_ reports: [Report]) async throws {
    let store = ReportStore(pool: pool)
    for day in Dictionary(grouping: reports, by: { ComplaintDays.day(of: $0.reportedAt) }).sorted(by: {
      $0.key < $1.key
    }) {
      let last = day.value.map(\.reportedAt).max() ?? now
      _ = try await store.accept(day.value, receivedAt: last)
    }
  }

  /// Complaints that establish people: three numbers in ten days, each with four of them.
  private func history(of people: Range<Int>) -> [Report] {
    var reports: [Report] = []
    for person in people {
      let groups = [person / 4, person % 100, (person * 7 + person / 100) % 100]
      for (old, group) in groups.enumerated() {
        let number = 33_180_000_000 + Int64(old * 1_000 + group) * 11
        let time = now - Double(60 - 5 * old) * 86_400
        reports.append(report(number, by: reporter(1, person), at: time, network: network(person)))
      }
    }
    return reports
  }

  /// 400 reporters with earlier complaints and as many without: 150 numbers that each call eight to twenty of them over
  /// nine days; four of ten who complain are new.
  private func honestTraffic(_ generator: inout SeededGenerator) -> [Report] {
    var reports = history(of: 0..<400)
    for number in nuisances {
      var people = Set<Int>()
      let count = Int.random(in: 8...20, using: &generator)
      while people.count < count { people.insert(Int.random(in: 0..<400, using: &generator)) }
      for person in people {
        let isNew = Int.random(in: 0..<10, using: &generator) < 4
        reports.append(
          report(
            number, by: reporter(isNew ? 2 : 1, person),
            at: now - Double.random(in: 0..<9 * 86_400, using: &generator), network: network(person),
            comment: [nil, "Spam call", "They spoke of my car's warranty, no. \(person)"].randomElement(
              using: &generator)!))
      }
    }
    return reports
  }

  /// Reports of 200 accounts: 20 for each number, or all accounts for every number.
  private func brigade(_ style: Style, all: Bool, _ generator: inout SeededGenerator) -> [Report] {
    var reports: [Report] = []
    for (index, number) in innocent.enumerated() {
      for account in 0..<200 where all || account % 10 == index {
        let isAged = [.agedAccountsOfOneNetwork, .agedAccountsOnOneDay].contains(style)
        let place =
          switch style {
          case .agedAccountsOfOneNetwork: 9_000 + account / 100
          case .aBitOfEverything: account % 3 == 0 ? 9_000 + account % 5 : 10_000 + account
          default: 10_000 + account
          }
        let age =
          switch style {
          case .newcomersAtOnce: Double.random(in: 0..<1.5, using: &generator)
          case .agedAccountsOnOneDay: account == index ? 2.2 : 0.1
          default: Double.random(in: 0..<5, using: &generator)
          }
        let text =
          switch style {
          case .oneTextFromEverywhere:
            account % 2 == 0 ? "This shop cheated me out of my money" : "this shop cheated me, out of my money!"
          case .aBitOfEverything where account % 3 == 1: "They keep calling me at night"
          default: "Complaint of account \(account)" as String?
          }
        reports.append(
          report(
            number, by: reporter(isAged ? 3 : 4, account), at: now - age * 86_400, network: network(place),
            comment: text))
      }
    }
    guard [.agedAccountsOfOneNetwork, .agedAccountsOnOneDay].contains(style) else { return reports }
    // Earlier complaints of the accounts about numbers that many reporters complain about, over ten days.
    let past = (0..<200).flatMap { account in
      (0..<3).map {
        report(
          nuisances[$0], by: reporter(3, account), at: now - Double(60 - 5 * $0) * 86_400, network: network(account))
      }
    }
    return past + reports
  }

  private func listed() async throws -> [Int64] { try await treatments().keys.sorted() }

  private func blocked() async throws -> Set<Int64> { Set(try await treatments().filter { $0.value == .block }.keys) }

  private func treatments() async throws -> [Int64: ListedNumber.Treatment] {
    let (now, pool) = (now, pool)
    return try await PublicationStore(pool: pool).withSnapshot { connection in
      var treatments: [Int64: ListedNumber.Treatment] = [:]
      try await Selection().forEachListed(at: now, on: connection) { batch in
        for item in batch { treatments[item.number] = item.treatment }
      }
      return treatments
    }
  }

  /// The most numbers that newcomers may label today: three, and one for each fifty reporters of the week that ended a
  /// week ago.
  private func budget() async throws -> Int {
    let reporters = try await pool.withConnection { connection in
      try await connection.query(
        """
        SELECT count(DISTINCT reporter) FROM reports
        WHERE received_at >= \(now - 14 * 86_400) AND received_at < \(now - 7 * 86_400)
        """
      ).first?.decode(0, as: Int64.self) ?? 0
    }
    return 3 + Int(reporters / 50)
  }

  @Test(arguments: Style.allCases, [false, true])
  func `no target of a brigade is published`(_ style: Style, all: Bool) async throws {
    var generator = SeededGenerator(seed: 42)
    try await take(honestTraffic(&generator))
    try await take(brigade(style, all: all, &generator))
    let reporters = ReporterStore(pool: pool)
    _ = try await reporters.recount(protected: .none, at: now)
    // Without the review the attack would succeed.
    #expect(try await blocked().intersection(innocent).count == innocent.count, "\(style)")

    let review = BrigadeReview(store: HoldStore(pool: pool))
    let held = try await review.review(at: now).new
    #expect(try await review.review(at: now + 1).new == 0)
    let published = try await treatments()
    #expect(try await blocked().intersection(innocent).isEmpty, "\(style)")
    let labeled = published.keys.filter { innocent.contains($0) }
    if !all, [.newcomersAtOnce, .newcomersOverFiveDays, .aBitOfEverything].contains(style) {
      // New accounts that share nothing, over three days, are like people who were called. The budget bounds them.
      #expect(labeled.count <= (try await budget()), "\(style)")
      for number in labeled { #expect(try await HoldStore(pool: pool).hold(of: number)?.ceiling == .identify) }
    } else {
      #expect(labeled.isEmpty, "\(style)")
    }
    #expect(Double(nuisances.count { published[$0] == .block }) > 0.9 * Double(nuisances.count))
    #expect(held - innocent.count <= 3, "honest numbers held")
    // All of them wait for a moderator.
    #expect(Set(try await HoldStore(pool: pool).held().map(\.number)).isSuperset(of: innocent))

    // After two moderators allow the ten numbers, the reports of the attackers no longer count.
    for number in innocent {
      let decision = try Decision(
        number: number, treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: now + 1)
      _ = try await DecisionService(pool: pool).record(decision)
      let opinion = try ReviewOpinion(
        number: number, decisionID: decision.id, treatment: .allow, note: nil, account: "Bob", reviewedAt: now + 1)
      #expect(try await ReviewService(pool: pool).record(opinion, role: .moderator) == .recorded)
    }
    _ = try await reporters.recount(protected: .none, at: now + 2)
    for number in innocent {
      let record = try await NumberStore(pool: pool).record(of: number)
      #expect(try #require(record).standing.heat < 3 * Decay.heat.scale(at: now), "\(style)")
    }
  }

  /// An app sends its reports once a week: 25 numbers of its established reporters were held, and a moderator blocked them.
  @Test func `a usual burst is published and explained`() async throws {
    let (now, pool) = (now, pool)
    let past = (0..<25).map { 33_175_000_000 + Int64($0) * 997 }
    var reports = history(of: 0..<400)
    for (place, number) in past.enumerated() {
      reports += (0..<30).map { index in
        let person = (place * 37 + index * 13) % 400
        return report(number, by: reporter(1, person), at: now - 14 * 86_400, network: network(person))
      }
    }
    // Two people complain the day before.
    reports += (0..<30).map { person in
      report(
        innocent[0], by: reporter(1, person), at: now - 3_600 - (person < 2 ? 86_400 : 0), network: network(person))
    }
    try await take(reports)
    _ = try await ReporterStore(pool: pool).recount(protected: .none, at: now)
    let review = BrigadeReview(store: HoldStore(pool: pool))
    let explanation = { try await ExplanationStore(pool: pool).explain(self.innocent[0], at: now) }

    #expect(try await review.review(at: now).new == 1)
    #expect(try await HoldStore(pool: pool).hold(of: innocent[0])?.reason.code == .oneDay)
    try await pool.execute("TRUNCATE holds, hold_reporters, queue")
    for number in past {
      _ = try await DecisionService(pool: pool).record(
        try Decision(
          number: number, treatment: .block, reason: "A wave.", decidedBy: "Ada", decidedAt: now - 12 * 86_400))
    }
    #expect(try await review.review(at: now).new == 0)
    #expect(try await blocked().contains(innocent[0]))
    let usual = try #require(try await explanation().usual)
    #expect(usual.burst == UsualBurst(.oneDay, alike: 28, reporters: 30, share: .init(count: 25, numbers: 25)))
    #expect(try await explanation().lines.contains(.usual(usual)))
    #expect(try await ExplanationStore(pool: pool).explainCoarsely(innocent[0], at: now).usual == nil)
  }

  @Test func `a number below the thresholds is not held`() async throws {
    // A burst on its first day: no threshold lists the number before the second day.
    let number = innocent[0]
    try await take(
      (0..<30).map { report(number, by: reporter(5, $0), at: now - 3_600, network: network($0)) })
    let review = BrigadeReview(store: HoldStore(pool: pool))
    #expect(try await review.review(at: now).new == 0)
    try await take([report(number, by: reporter(5, 99), at: now - 2 * 86_400, network: network(99))])
    #expect(try await review.review(at: now).new == 1)
    #expect(try await HoldStore(pool: pool).hold(of: number)?.reason.code == .newReporters)
  }

  /// Reporters may disagree about a number after it was listed.
  @Test func `a strong split holds a listed number`() async throws {
    let split = innocent[0], plain = innocent[1]
    var reports: [Report] = []
    for index in 0..<18 {
      let at = now - Double(index % 6 + 1) * 86_400
      var word = report(split, by: reporter(6, index), at: at, network: network(index))
      if index >= 12 { word.category = .legitimate }
      reports += [word, report(plain, by: reporter(6, index), at: at, network: network(index))]
    }
    try await take(reports)
    try await pool.execute(
      """
      INSERT INTO listings (number, category_id, serial, listed_at)
      SELECT number, 6, 1, \(now - 60) FROM unnest(\([split, plain])) AS t (number)
      """)
    #expect(Set(try await listed()) == [split, plain])
    #expect(try await BrigadeReview(store: HoldStore(pool: pool)).review(at: now).new == 1)
    #expect(try await HoldStore(pool: pool).hold(of: split)?.reason.code == .split)
    #expect(try await listed() == [plain])
  }

  /// A number listed by a decision or a range was never reviewed. After an undo its reports are.
  @Test func `a number is reviewed once its decision is undone`() async throws {
    let number = innocent[0], named = innocent[1]
    let pool = pool, now = now
    let decisions = DecisionService(pool: pool)
    let block = try Decision(
      number: number, treatment: .block, reason: "A wave.", decidedBy: "Ada", decidedAt: now - 9)
    _ = try await decisions.record(block)
    _ = try await decisions.record(
      try Decision(
        number: named, treatment: .identify, label: "A shop", reason: "It is one.", decidedBy: "Ada", decidedAt: now - 9
      ))
    let key = try #require(SigningKey(String(repeating: "07", count: 32)))
    try await withTemporaryFolder { path in
      let publisher = Publisher(
        store: PublicationStore(pool: pool), folder: PublicationFolder(path: path),
        recipes: Recipe.shipped.filter { $0.source == .reports }, signing: { key },
        policy: PublicationPolicy(), holding: BrigadeReview(store: HoldStore(pool: pool)), logger: .forTests)
      func publish(_ time: Date) async throws {
        let overrules = Gate.allCases.filter(\.canBeOverruled).map {
          PublicationRequest.Overrule(gate: $0, reason: "Test", by: "Ada")
        }
        _ = try await publisher.publish(PublicationRequest(time: time, overrules: overrules))
      }
      func listing(_ number: Int64) async throws -> Explanation.Listing? {
        try await ExplanationStore(pool: pool).explain(number, at: now).listing
      }
      try await publish(now - 8)
      #expect(try await listing(number)?.treatment == .block)
      let shop = try #require(try await listing(named))
      #expect(shop.treatment == .identify && shop.serial == 1)
      #expect(try await ExplanationStore(pool: pool).explain(named, at: now).lines.contains(.published(shop)))
      let prefix = NumberHash.of(named).prefix(4).map { String(format: "%02x", $0) }.joined()
      let beginning = try #require(NumberHashPrefix(prefix))
      let hash = try #require(try await HashLookupStore(pool: pool).listed(beginning).first)
      #expect(!hash.mayBlock && hash.label == "A shop")

      // A burst of one day, confirmed only by one report two days earlier.
      try await take(
        (0..<30).map { report(number, by: reporter(5, $0), at: now - 3_600, network: network($0)) }
          + [report(number, by: reporter(5, 99), at: now - 2 * 86_400, network: network(99))])
      _ = try await decisions.undo(block.id, of: number, decidedBy: "Ada", at: now - 5)
      try await publish(now)
      #expect(try await HoldStore(pool: pool).hold(of: number)?.reason.code == .newReporters)
      #expect(try await listing(number) == nil)
      #expect(try await listing(named)?.serial == 1)
    }
  }

  @Test func `reports that arrive after the review are not in the snapshot`() async throws {
    let number = innocent[0]
    let (now, pool) = (now, pool)
    let wave = (0..<30).map { report(number, by: reporter(5, $0), at: now - 3_600, network: network($0)) }
    let old = report(number, by: reporter(5, 99), at: now - 2 * 86_400, network: network(99))
    try await take(wave)
    let review = BrigadeReview(store: HoldStore(pool: pool))
    let listed = try await PublicationStore(pool: pool).withSnapshot { connection in
      let found = try await review.review(at: now, on: connection)
      #expect(found.reportCeilings.isEmpty)
      try await take([old])
      var numbers: [Int64] = []
      var state = try await CurationStateStore.load(at: now, on: connection)
      state.reportCeilings = found.reportCeilings
      try await Selection().forEachListed(at: now, state: state, on: connection) { batch in
        numbers += batch.map(\.number)
      }
      return numbers
    }
    #expect(listed.isEmpty)
    // The review's result is held back in a snapshot without the hold.
    let next = try await PublicationStore(pool: pool).withSnapshot { connection in
      let found = try await review.review(at: now, on: connection)
      #expect(found.reportCeilings == [number: .nothing] && found.new == 1)
      var numbers: [Int64] = []
      var state = try await CurationStateStore.load(at: now, on: connection)
      state.reportCeilings = found.reportCeilings
      try await Selection().forEachListed(at: now, state: state, on: connection) { batch in
        numbers += batch.map(\.number)
      }
      return numbers
    }
    #expect(next.isEmpty)
  }
}
