// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

/// Brigades that are larger than everything else that is reported, through the database: their reports must not decide
/// what is usual. The figures of many more cases are in `BrigadeSimulationTests`.
@Suite(.database) struct BrigadePublicationTests {
  struct Case: Sendable, CustomStringConvertible {
    let name: String
    var targets: Int
    var accountsPerTarget: Int
    /// Days over which the reports arrive, and days that they claim.
    var arrivalDays: Int
    var claimedDays: Int
    var apps = 1
    /// Genuine waves at the same time; their reporters are known in an installation that is not young.
    var genuine: Int
    var isYoung = false
    /// Accounts with three reports of two months ago, over ten days, about numbers that twenty of them report.
    var isAged = false
    var sharesNetworks = false
    var sharesText = false

    var description: String { name }
  }

  static let cases = [
    Case(
      name: "young, 20 numbers, one day, three claimed", targets: 20, accountsPerTarget: 200, arrivalDays: 1,
      claimedDays: 3, genuine: 0, isYoung: true),
    Case(
      name: "500 numbers, one day, three claimed, five apps", targets: 500, accountsPerTarget: 16, arrivalDays: 1,
      claimedDays: 3, apps: 5, genuine: 60),
    Case(
      name: "100 numbers, seven days", targets: 100, accountsPerTarget: 30, arrivalDays: 7, claimedDays: 7,
      genuine: 60),
    Case(
      name: "100 numbers, aged accounts of two networks", targets: 100, accountsPerTarget: 20, arrivalDays: 4,
      claimedDays: 4, genuine: 60, isAged: true, sharesNetworks: true),
    Case(
      name: "100 numbers, aged accounts with one text", targets: 100, accountsPerTarget: 20, arrivalDays: 4,
      claimedDays: 4, genuine: 60, isAged: true, sharesText: true),
  ]

  private struct Arrival {
    var report: Report
    var at: Date
  }

  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private var pool: PostgresPool { TestDatabase.current.pool }

  private func reporter(_ kind: UInt8, _ index: Int) -> [UInt8] {
    [kind, UInt8(index >> 8), UInt8(index & 255)] + [UInt8](repeating: kind, count: 13)
  }

  private func network(_ index: Int) -> [UInt8] {
    var mixer = SeededGenerator(seed: UInt64(index))
    return withUnsafeBytes(of: mixer.next()) { Array($0) }
  }

  private func arrival(
    _ number: Int64, by reporter: [UInt8], at time: Date, claimed: Date? = nil, network: [UInt8], app: Int32 = 1,
    comment: String? = nil
  ) -> Arrival {
    Arrival(
      report: Report(
        number: number, appID: app, reportID: UUID(), reportedAt: claimed ?? time, category: .robocall,
        reporter: reporter, comment: comment, network: network), at: time)
  }

  /// Waves of 15 to 40 people: most complain in the first hours, the others over the following days. Six of ten have
  /// complained before, unless the installation is young.
  private func genuine(_ test: Case, _ generator: inout SeededGenerator) -> [Arrival] {
    var arrivals: [Arrival] = []
    if !test.isYoung {
      for person in 0..<400 {
        for old in 0..<3 {
          arrivals.append(
            arrival(
              33_180_000_000 + Int64(old * 100 + person / 4) * 11, by: reporter(1, person),
              at: now - Double(60 - 5 * old) * 86_400, network: network(person)))
        }
      }
    }
    for number in waves(test) {
      let start = now - Double.random(in: 2..<7, using: &generator) * 86_400
      for person in (0..<400).shuffled(using: &generator).prefix(Int.random(in: 15...40, using: &generator)) {
        let isLate = Int.random(in: 0..<10, using: &generator) < 4
        let delay = Double.random(in: isLate ? 43_200..<300_000 : 0..<43_200, using: &generator)
        let isKnown = Int.random(in: 0..<10, using: &generator) < 6
        arrivals.append(
          arrival(
            number, by: reporter(isKnown ? 1 : 2, person), at: min(start + delay, now - 60), network: network(person),
            comment: "They spoke of my car's warranty, no. \(person)"))
      }
    }
    return arrivals
  }

  private func brigade(_ test: Case, _ generator: inout SeededGenerator) -> [Arrival] {
    var arrivals: [Arrival] = []
    if test.isAged {
      for account in 0..<200 {
        for old in 0..<3 {
          arrivals.append(
            arrival(
              33_190_000_000 + Int64(old * 100 + account / 20) * 11, by: reporter(4, account),
              at: now - Double(60 - 5 * old) * 86_400, network: network(20_000 + account)))
        }
      }
    }
    for (index, number) in targets(test).enumerated() {
      for place in 0..<test.accountsPerTarget {
        let account = (index * 7 + place) % 200
        let at = now - 60 - Double.random(in: 0..<Double(test.arrivalDays) * 80_000, using: &generator)
        let claimed = at - Double(place % test.claimedDays) * 86_400 * (test.arrivalDays == 1 ? 1 : 0)
        arrivals.append(
          arrival(
            number, by: reporter(4, account), at: at, claimed: claimed,
            network: network(test.sharesNetworks ? 30_000 + account % 2 : 20_000 + account),
            app: Int32(1 + account % test.apps),
            comment: test.sharesText ? "This shop cheated me out of my money" : "Complaint of account \(account)"))
      }
    }
    return arrivals
  }

  private func waves(_ test: Case) -> [Int64] { (0..<test.genuine).map { 33_170_000_000 + Int64($0) * 997 } }

  private func targets(_ test: Case) -> [Int64] { (0..<test.targets).map { 33_199_000_100 + Int64($0) * 1_009 } }

  /// Takes reports in the order of their arrival, six hours at a time.
  private func take(_ arrivals: [Arrival]) async throws {
    let store = ReportStore(pool: pool)
    let groups = Dictionary(grouping: arrivals) { Int($0.at.timeIntervalSince1970 / 21_600) }
    for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
      _ = try await store.accept(group.map(\.report), receivedAt: group.map(\.at).max() ?? now)
    }
  }

  private func listed() async throws -> (blocked: Set<Int64>, identified: Set<Int64>) {
    let (now, pool) = (now, pool)
    return try await PublicationStore(pool: pool).withSnapshot { connection in
      var numbers: (blocked: Set<Int64>, identified: Set<Int64>) = ([], [])
      try await Selection().forEachListed(at: now, on: connection) { batch in
        numbers.blocked.formUnion(batch.filter { $0.treatment == .block }.map(\.number))
        numbers.identified.formUnion(batch.filter { $0.treatment == .identify }.map(\.number))
      }
      return numbers
    }
  }

  @Test(arguments: cases) func `no target of a large brigade is published`(_ test: Case) async throws {
    var generator = SeededGenerator(seed: 16)
    try await take(genuine(test, &generator) + brigade(test, &generator))
    _ = try await ReporterStore(pool: pool).recount(protected: .none, at: now)
    let before = try await listed()
    #expect(before.blocked.isSuperset(of: targets(test)), "Without the review the brigade succeeds.")
    try await BrigadeReview(store: HoldStore(pool: pool)).review(at: now)
    let after = try await listed()
    let own = before.blocked.intersection(waves(test))
    let kept = after.blocked.intersection(waves(test))
    print(
      "\(test): brigade \(after.blocked.intersection(targets(test)).count) of \(test.targets) blocked, ",
      "\(after.identified.intersection(targets(test)).count) identified, ",
      "genuine \(kept.count) of \(own.count) blocked", separator: "")
    // The accounts share their targets, so no number is even identified.
    #expect(after.blocked.union(after.identified).isDisjoint(with: targets(test)))
    #expect(kept.count * 10 >= own.count * 9)
    #expect(own.count * 10 >= test.genuine * 9)
  }
}
