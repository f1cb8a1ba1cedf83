// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Days of an installation that begins empty, without a moderator, through the database and with real publications.
///
/// With `RINGFENCE_SIMULATION_SEEDS` in the environment, such as `1,2,3`, all scenarios run with these seeds and the table is
/// written to `RINGFENCE_SIMULATION_TABLE`; see `Documentation/benchmarks/day-one.md`.
@Suite struct SimulationTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static let seeds = (environment["RINGFENCE_SIMULATION_SEEDS"] ?? "").split(separator: ",").compactMap {
    UInt64($0)
  }

  @Test(.enabled(if: !seeds.isEmpty)) func `all scenarios, as a table`() async throws {
    let only = Self.environment["RINGFENCE_SIMULATION_ONLY"] ?? ""
    var results: [SimulationResult] = []
    for scenario in Scenario.all where only.isEmpty || scenario.name.contains(only) {
      let ofSeeds = try await withThrowingTaskGroup { group in
        for seed in Self.seeds { group.addTask { try await run(scenario, seed: seed) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      results.append(SimulationResult(worstOf: ofSeeds))
      print(SimulationResult.table([results[results.count - 1]]).split(separator: "\n").last.map(String.init) ?? "")
    }
    let table = SimulationResult.table(results)
    print(table)
    if let path = Self.environment["RINGFENCE_SIMULATION_TABLE"] {
      try Data("\(table)\n".utf8).write(to: URL(filePath: path))
    }
  }

  @Test func `nuisances that people report are labeled within days`() async throws {
    var scenario = Scenario.people
    scenario.installDays = 1
    let result = try await run(scenario, seed: 1)
    #expect((result.nuisances[7]?.listed ?? 0) >= 6)
    #expect((result.nuisances[14]?.listed ?? 0) >= 20)
    #expect((result.nuisances[28]?.listed ?? 0) >= 30)
    #expect((result.nuisances[28]?.blocked ?? 0) >= 1)
    #expect(result.others.listed == 0)
  }

  @Test func `a source that may not list a number does not help reporters who arrive at once`() async throws {
    var scenario = Scenario.attack(targets: 1)
    scenario.days = 10
    let result = try await run(scenario, seed: 1)
    #expect(result.targets.listed == 0)
  }

  @Test func `attested people block nuisances, and accounts without phones list nothing`() async throws {
    var people = try #require(Scenario.phones("people"))
    (people.days, people.installDays) = (14, 1)
    let result = try await run(people, seed: 1)
    // Without phones a nuisance is only labeled in this time.
    #expect((result.nuisances[14]?.blocked ?? 0) >= 10)
    #expect(result.others.blocked == 0)
    for name in [
      "200 accounts share 10 targets, 200 each, 200 networks, 3 days",
      "200 accounts split 10 targets, 20 each, 200 networks, 3 days, weight 0.0 without attestation",
    ] {
      var brigade = try #require(Scenario.phones(name))
      (brigade.users, brigade.days) = (40, 14)
      #expect(try await run(brigade, seed: 1).targets.listed == 0)
    }
  }

  @Test func `owners of borrowed numbers are labeled, and few liars hide nothing`() async throws {
    func blocked(_ scenario: Scenario) async throws -> SimulationResult.Count {
      try await run(scenario, seed: 1).nuisances[14] ?? .init()
    }
    let none = try await blocked(.verified())
    #expect(none.blocked >= 20)
    let most = try await blocked(.verified(0.8))
    #expect(most.blocked * 4 <= none.blocked)
    // Three trusted phones turn a block into a label at most.
    let lies = try await blocked(.verified(liars: 3))
    #expect(lies.blocked == 0 && lies.listed >= none.listed - 2)
    #expect(try await blocked(.verified(liars: 2)).blocked >= none.blocked - 2)
  }

  /// Accounts that arrive within a day or share their targets.
  @Test(arguments: [
    Brigade(accounts: 40, targets: 40, reporters: 8, start: 4, claimedDays: 3, sharesTargets: false),
    Brigade(accounts: 10, targets: 40, reporters: 10, start: 4, days: 5, networks: 10),
    Brigade(accounts: 40, targets: 20, reporters: 5, start: 16, days: 3, aging: .own),
  ])
  func `no number of a brigade is listed`(_ brigade: Brigade) async throws {
    var scenario = Scenario.brigade(brigade)
    scenario.days = brigade.start + 8
    let result = try await run(scenario, seed: 1)
    #expect(result.targets.listed == 0)
    #expect(result.targets.blocked == 0)
  }

  private func run(_ scenario: Scenario, seed: UInt64) async throws -> SimulationResult {
    try await TestDatabase.withNew {
      let simulation = Simulation(scenario, seed: seed, pool: TestDatabase.current.pool)
      return SimulationResult(simulation, try await simulation.run())
    }
  }
}
