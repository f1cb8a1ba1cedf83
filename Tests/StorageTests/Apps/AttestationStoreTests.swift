// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct AttestationStoreTests {
  private var store: InstallationStore { InstallationStore(pool: pool) }

  private func app(_ name: String = "Phone") async throws -> App {
    let apps = AppStore(pool: pool)
    let key = try await apps.create(name: name, scopes: [.report, .install], at: now).key
    return try #require(try await apps.app(key: key, at: now))
  }

  /// A phone with a key, at a challenge.
  private func phone(_ device: UInt8, challenge: UInt8) -> AttestedInstallation {
    AttestedInstallation(
      device: [UInt8](repeating: device, count: 16), secret: [UInt8](repeating: challenge, count: 32)
    ) { _ in reporter(device) }
  }

  private func reporter(_ device: UInt8) -> [UInt8] { [UInt8](repeating: device, count: 16) }

  @Test func `a challenge leads to one token of one phone`() async throws {
    let app = try await app()
    let made = try await store.attest(phone(1, challenge: 1), level: .hardware, for: app, at: now)
    #expect(made.token.count == 43 && made.level == .hardware)
    let rows: [PostgresQuery] = [
      "SELECT row_to_json(r)::text FROM installations AS r", "SELECT row_to_json(r)::text FROM attested_reporters AS r",
    ]
    for query in rows {
      let texts = try await pool.column(query, as: String.self)
      #expect(!texts.isEmpty && !texts.contains { $0.contains(made.token) })
    }
    // The answer was lost.
    let again = try await store.attest(phone(1, challenge: 1), level: .hardware, for: app, at: now + 5)
    #expect(again.token == made.token && again.expiresAt == made.expiresAt)
    await #expect(throws: AttestationFailure.challengeUsed) {
      try await store.attest(phone(2, challenge: 1), level: .hardware, for: app, at: now)
    }
    #expect(try await store.attestationCounts()[app.id]?.installations == [.hardware: 1])
    // All tokens of a phone are one reporter.
    let other = try await store.attest(phone(1, challenge: 2), level: .hardware, for: app, at: now)
    let (first, second) = (
      try await store.find(token: made.token, at: now), try await store.find(token: other.token, at: now)
    )
    #expect(first?.reporter != nil && first?.reporter == second?.reporter)
  }

  @Test func `a token ends by time and by revocation`() async throws {
    let app = try await app()
    let made = try await store.attest(phone(1, challenge: 1), level: .software, for: app, at: now)
    #expect(try await store.find(token: made.token, at: made.expiresAt - 1)?.device == reporter(1))
    #expect(try await store.find(token: made.token, at: made.expiresAt) == nil)
    #expect(try await store.findEven(expired: made.token) != nil)
    #expect(try await store.revoke(digest: made.digest, of: app, at: now))
    #expect(try await store.findEven(expired: made.token) == nil)
    await #expect(throws: AttestationFailure.challengeUsed) {
      try await store.attest(phone(1, challenge: 1), level: .hardware, for: app, at: now)
    }
  }

  @Test func `counters grow, and of two renewals with one counter one wins`() async throws {
    let app = try await app()
    _ = try await store.attest(phone(1, challenge: 1), level: .hardware, for: app, at: now)
    let made = try await store.renew(phone(1, challenge: 2), counter: 5, for: app, at: now)
    #expect(made.level == .hardware)
    let again = try await store.renew(phone(1, challenge: 2), counter: 5, for: app, at: now)
    #expect(again.token == made.token)
    for counter in [Int64(5), 4] {
      await #expect(throws: AttestationFailure.counterNotGreater) {
        try await store.renew(phone(1, challenge: 3), counter: counter, for: app, at: now)
      }
    }
    await #expect(throws: AttestationFailure.unknownInstallation) {
      try await store.renew(phone(9, challenge: 4), counter: 1, for: app, at: now)
    }
    // Another app does not know the key.
    let other = try await self.app("Tablet")
    await #expect(throws: AttestationFailure.unknownInstallation) {
      try await store.renew(phone(1, challenge: 5), counter: 9, for: other, at: now)
    }
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for challenge in [UInt8(10), 11] {
        group.addTask { (try? await store.renew(phone(1, challenge: challenge), counter: 6, for: app, at: now)) != nil }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 } == 1)
    // Phones with Android do not count.
    _ = try await store.renew(phone(1, challenge: 12), counter: nil, for: app, at: now)
  }

  @Test func `the builds of an app are kept with an event, and old attestations are deleted`() async throws {
    let app = try await app()
    #expect(try await store.policy(of: app.id) == nil)
    var policy = AttestationPolicy(iosAppIDs: ["A1B2C3D4E5.org.example.caller"])
    let isAdded = policy.add(android: "org.example.caller=" + String(repeating: "5A:", count: 31) + "5A")
    let isShortAdded = policy.add(android: "org.example.caller=5A")
    #expect(isAdded && !isShortAdded)
    try await store.set(policy, ofApp: "Phone", at: now)
    #expect(try await store.policy(of: app.id) == policy)
    try await store.set(nil, ofApp: "Phone", at: now)
    #expect(try await store.policy(of: app.id) == nil)
    await #expect(throws: AppError.noApp("None")) { try await store.set(policy, ofApp: "None", at: now) }
    let events = try await AuditLog(pool: pool).events(AuditFilter(), limit: 10).filter {
      $0.event.action == "app.attestation"
    }
    #expect(events.count == 2)
    let made = try await store.attest(phone(1, challenge: 1), level: .hardware, for: app, at: now)
    let retention = RetentionStore(pool: pool)
    let old = made.expiresAt + 1
    #expect(try await retention.purgeInstallations(before: .distantPast, ended: now) == 0)
    #expect(try await retention.purgeInstallations(before: .distantPast, ended: old) == 1)
    #expect(try await retention.purgeAttestations(renewedBefore: now) == 0)
    #expect(try await retention.purgeAttestations(renewedBefore: now + 86_400) == 1)
  }

  private func weights() async throws -> [Float] {
    try await pool.column("SELECT weight FROM reports ORDER BY reporter", as: Float.self)
  }

  /// One report of each reporter on a number of its own.
  private func report(_ reporters: ClosedRange<UInt8>, app: App) async throws {
    let reports = reporters.map { index in
      Report(
        number: 33_199_000_000 + Int64(index), appID: app.id, reportID: UUID(), reportedAt: now, category: .fraud,
        reporter: reporter(index))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
  }

  @Test func `new reporters weigh by what their phone has attested, and a recount keeps it`() async throws {
    let app = try await app()
    _ = try await store.attest(phone(1, challenge: 1), level: .hardware, for: app, at: now)
    _ = try await store.attest(phone(2, challenge: 2), level: .software, for: app, at: now)
    try await report(1...3, app: app)
    #expect(try await weights() == [0.8, 0.5, 0.5])
    let reporters = ReporterStore(pool: pool)
    #expect(try await reporters.recount(protected: .none, at: now).numbers == 0)
    // Another version with a rule of the app's own.
    let (version, set) = try await ThresholdStore(pool: pool).version(nil)
    let rule = AttestationRule(appID: app.id, hardware: 1, software: 0.25, unattested: 0)
    try await ThresholdStore(pool: pool).save(
      try set.replacing(rule), after: version.version, by: .commandLine("Ada"), because: "A test.", at: now)
    #expect(try await ThresholdStore(pool: pool).current().rule(ofApp: app.id) == rule)
    #expect(try await ThresholdStore(pool: pool).current().rule(ofApp: app.id + 1).hardware == 0.8)
    #expect(try await reporters.recount(protected: .none, at: now).numbers == 3)
    #expect(try await weights() == [1, 0.25, 0])
    let unattested = try await NumberStore(pool: pool).standing(of: 33_199_000_003)
    #expect(unattested.parts.allSatisfy { $0.reporters == 0 && $0.heat == 0 })
  }

  private func give(_ weight: Float, to device: UInt8, isEstablished: Bool = false) async throws {
    let (one, now) = (reporter(device), now)
    try await pool.withConnection { connection in
      _ = try await connection.execute(
        "INSERT INTO reporter_weights (reporter, weight, changed_at) VALUES (\(one), \(weight), \(now))")
      _ = try await connection.execute(
        """
        INSERT INTO reporters (reporter, first_received_at, numbers, judged, agreed, brigades, is_established, recounted_at)
        VALUES (\(one), \(now), 3, 20, 5, 0, \(isEstablished), \(now))
        """)
    }
  }

  @Test func `a record lowers the weight of the level, and never raises it`() async throws {
    let app = try await app()
    _ = try await store.attest(phone(1, challenge: 1), level: .hardware, for: app, at: now)
    for device in [UInt8(1), 2] { try await give(0.25, to: device) }
    try await give(0.75, to: 3, isEstablished: true)
    try await report(1...3, app: app)
    #expect(try await weights() == [0.4, 0.25, 0.75])
    let misweighed = SQL.findMisweighed(after: 0, upTo: 33_199_000_100, unweighed: [])
    #expect(try await pool.run(misweighed).isEmpty)
    // Accounts are ignored, also those that have been wrong.
    let (version, set) = try await ThresholdStore(pool: pool).version(nil)
    let rule = AttestationRule(appID: app.id, unattested: 0)
    try await ThresholdStore(pool: pool).save(
      try set.replacing(rule), after: version.version, by: .commandLine("Ada"), because: "A test.", at: now)
    #expect(try await pool.run(misweighed) == [33_199_000_002])
    let preview = try await pool.withConnection { connection in
      let votes = try await ReweighedVotes(by: [AttestationRule(), rule], hotterThan: 0.01, at: now, on: connection)
      return try await NumberRecordStore.records(of: [33_199_000_001, 33_199_000_002], on: connection).map {
        Score(votes.applied(to: $0), at: now)
      }
    }
    #expect(preview.map { ($0.heat * 1_000).rounded() / 1_000 } == [0.4, 0])
    _ = try await pool.run(SQL.reweigh(numbers: [33_199_000_001, 33_199_000_002, 33_199_000_003], unweighed: []))
    #expect(try await weights() == [0.4, 0, 0.75])
  }

  @Test func `a phone without weight is an account to the rules against brigading`() async throws {
    let app = try await app()
    for device in [UInt8(1), 2] {
      _ = try await store.attest(phone(device, challenge: device), level: .hardware, for: app, at: now)
    }
    // It was caught in a brigade.
    try await give(0, to: 2)
    try await report(1...3, app: app)
    let holds = HoldStore(pool: pool)
    let votes = try await holds.withSnapshot { connection in
      var votes: [ReporterVote] = []
      let numbers: [Int64] = [33_199_000_001, 33_199_000_002, 33_199_000_003]
      try await holds.forEachVotes(of: numbers, at: now, on: connection) { votes += $0.votes }
      return votes
    }
    #expect(votes.map(\.isAttested) == [true, false, false])
  }

  @Test func `a preview applies other weights to the numbers that it reads`() async throws {
    let app = try await app()
    _ = try await store.attest(phone(1, challenge: 1), level: .hardware, for: app, at: now)
    try await report(1...2, app: app)
    let rules = [AttestationRule(), AttestationRule(appID: app.id, hardware: 0.4, software: 0.4, unattested: 0)]
    let records = try await pool.withConnection { connection in
      let votes = try await ReweighedVotes(by: rules, hotterThan: 0.01, at: now, on: connection)
      return try await NumberRecordStore.records(of: [33_199_000_001, 33_199_000_002], on: connection).map {
        Score(votes.applied(to: $0), at: now)
      }
    }
    #expect(records.map { ($0.heat * 1_000).rounded() / 1_000 } == [0.4, 0])
    #expect(records.map(\.reporters) == [1, 0])
  }
}
