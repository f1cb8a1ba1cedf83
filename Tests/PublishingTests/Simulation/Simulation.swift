// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Jobs
import PostgreSQL
import Publishing
import Storage
import TestSupport

/// Runs the days of a scenario in the test's database, by a clock that only the simulation moves: reports arrive, and every
/// night the weights of reporters are recounted, old networks deleted, and the lists published.
struct Simulation: Sendable {
  /// The lists after one day.
  struct Night: Sendable {
    /// Listed numbers, with whether they may be blocked.
    var listed: [Int64: Bool]
    var held: Set<Int64>
    var isRefused = false
  }

  let scenario: Scenario
  let reports: SimulatedReports
  private let pool: PostgresPool
  private let seed: UInt64
  /// 1 March 2026, 00:00 UTC.
  private let start = Date(timeIntervalSince1970: 1_772_323_200)

  init(_ scenario: Scenario, seed: UInt64, pool: PostgresPool) {
    (self.scenario, self.seed, self.pool) = (scenario, seed, pool)
    reports = SimulatedReports(scenario, seed: seed)
  }

  /// The lists of each night.
  func run() async throws -> [Night] {
    try await withTemporaryFolder { path in
      let publisher = try publisher(path)
      let made = try await AppStore(pool: pool).create(name: "Simulated app", at: start)
      let app = made.app
      try await attest(key: made.key)
      let keyID = try await pool.rows("SELECT key_id FROM app_keys")[0]
        .decode(0, as: Int32.self)
      let list = try await subscribe()
      var nights: [Night] = []
      let days = Dictionary(grouping: reports.reports, by: \.day)
      for day in 0..<scenario.days {
        if let list, day % 7 == 0 { try await renew(list, day) }
        try await store(days[day] ?? [], day, appID: app.id, keyID: keyID)
        nights.append(try await publish(publisher, at: start + Double(day + 1) * 86_400 + 4_200))
      }
      return nights
    }
  }

  private func publisher(_ path: String) throws -> Publisher {
    let key = SigningKey(String(repeating: "07", count: 32))!
    return Publisher(
      store: PublicationStore(pool: pool), folder: PublicationFolder(path: path),
      recipes: Recipe.shipped.filter { $0.source == .reports }, signing: { key },
      policy: PublicationPolicy(deltaBases: 0), holding: BrigadeReview(store: HoldStore(pool: pool)), logger: .forTests)
  }

  /// Stores the reports of a day, four hours at a time, in the order of their arrival.
  private func store(_ day: [SimulatedReport], _ index: Int, appID: Int32, keyID: Int32) async throws {
    let store = ReportStore(pool: pool)
    for (part, group) in Dictionary(grouping: day, by: { $0.hour / 4 }).sorted(by: { $0.key < $1.key }) {
      let received = start + Double(index) * 86_400 + Double(part + 1) * 14_400 - 1
      let batch = group.map { item in
        var report = Report(
          number: item.number, appID: appID, reportID: UUID(),
          reportedAt: received - Double(item.claimedAge) * 86_400 - Double(3 - item.hour % 4) * 3_600,
          category: item.category, reporter: bytes(16, item.reporter), comment: item.comment,
          network: bytes(8, item.network))
        report.keyID = keyID
        report.verification = item.verification
        if scenario.vouches { report.reporterSince = start - 365 * 86_400 }
        return report
      }
      _ = try await store.accept(batch, receivedAt: received)
    }
  }

  /// Stores what phones have attested, and the weight of reporters without.
  private func attest(key: String) async throws {
    guard let app = try await AppStore(pool: pool).app(key: key, at: start) else { return }
    let store = InstallationStore(pool: pool)
    for reporter in reports.attested.sorted() {
      let installation = AttestedInstallation(device: bytes(16, reporter), secret: bytes(32, reporter)) { _ in
        bytes(16, reporter)
      }
      _ = try await store.attest(installation, level: .hardware, for: app, at: start)
    }
    guard let weight = scenario.unattestedWeight else { return }
    let thresholds = ThresholdStore(pool: pool)
    let (version, set) = try await thresholds.version(nil)
    try await thresholds.save(
      try set.replacing(AttestationRule(unattested: weight)), after: version.version, by: .commandLine("Test"),
      because: "Reports without attestation do not count.", at: start)
  }

  /// A pseudonym: bytes without order.
  private func bytes(_ count: Int, _ index: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(index) &* 64 &+ UInt64(count))
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private func subscribe() async throws -> App? {
    guard let list = scenario.list else { return nil }
    let app = try await AppStore(pool: pool).source(named: "Simulated list", at: start)
    _ = try await SourceStore(pool: pool).add(
      Source.Settings(
        name: app.name, url: "https://lists.example/list.csv", format: .csv, every: 86_400, ceiling: list.ceiling),
      as: app, by: .ringfence, at: start)
    return app
  }

  /// Replaces the reports of the list, as a refresh does each week.
  private func renew(_ list: App, _ day: Int) async throws {
    let time = start + Double(day) * 86_400
    let former = try await SourceStore(pool: pool).entries(of: list.id, after: 0)
    let known = Dictionary(former.map { ($0.number, $0) }) { first, _ in first }
    let changes = reports.list.sorted().map {
      SourceEntryChange(old: known[$0], new: SourceEntry(number: $0, category: .fraud, reportedAt: time))
    }
    try await ReportStore(pool: pool).change(changes, of: list.id, at: time)
  }

  private func publish(_ publisher: Publisher, at time: Date) async throws -> Night {
    let stores = Stores(pool: pool)
    try await ReporterWeightJob(
      reporters: stores.reporters, protection: stores.protection, ranges: stores.ranges, logger: .forTests
    ).runOnce(at: time - 600)
    try await RetentionJob(store: stores.retention, logger: .forTests, now: { time - 300 }).runOnce()
    var isRefused = false
    do {
      _ = try await publisher.publish(at: time)
    } catch PublishingError.heldBack {
      isRefused = true
    }
    let rows = try await pool.rows("SELECT number, treatment = 0 FROM listings")
    let listed = try rows.map { (try $0.decode(0, as: Int64.self), try $0.decode(1, as: Bool.self)) }
    let held = try await stores.holds.held().filter { !$0.isSettled }.map(\.number)
    return Night(listed: Dictionary(uniqueKeysWithValues: listed), held: Set(held), isRefused: isRefused)
  }
}
