// SPDX-License-Identifier: Apache-2.0

import Jobs
import CallerPack
import Curation
import Foundation
import Moderation
import PostgreSQL
import Publishing
import Storage
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct PublicationOrderTests {
  private let key = SigningKey()

  private var store: PublicationStore { PublicationStore(pool: TestDatabase.current.pool) }

  private func listingCount() async throws -> Int64 {
    try await TestDatabase.current.pool.withConnection { connection in
      try #require(try await connection.query("SELECT count(*) FROM listings").first).decode(0)
    }
  }

  private func fill() async throws {
    let reports = (0..<400).flatMap { number in
      (0..<5).map { reporter in
        Report(
          number: 33_199_000_000 + Int64(number * number), appID: 1, reportID: UUID(), reportedAt: now,
          category: .fraud, reporter: [UInt8](repeating: UInt8(reporter), count: 16))
      }
    }
    _ = try await ReportStore(pool: TestDatabase.current.pool).accept(reports, receivedAt: now)
    try await ThresholdStore(pool: TestDatabase.current.pool).beLenient()
  }

  private func publisher(
    _ path: String, _ protection: @escaping @Sendable () throws -> @Sendable (Int64) -> String? = { { _ in nil } }
  ) -> Publisher {
    Publisher(
      store: store, folder: PublicationFolder(path: path), signing: { key },
      protection: { _ in ProtectionLookup(try protection()) }, logger: .forTests)
  }

  private func job(
    _ path: String, at time: Date, leases: LeaseStore? = nil,
    protection: @escaping @Sendable () throws -> @Sendable (Int64) -> String? = { { _ in nil } }
  ) -> PublicationScheduler {
    PublicationScheduler(
      publisher: publisher(path, protection),
      leases: leases ?? LeaseStore(pool: TestDatabase.current.pool),
      schedule: CurrentSchedule(PublicationSchedule(time: "03:00", zone: "UTC")), logger: .forTests, now: { time })
  }

  private func entries(_ path: String, _ name: String) throws -> [PackEntry] {
    let folder = PublicationFolder(path: path)
    let pack = try #require(try folder.manifest()?.manifest.packs.first { $0.name == name })
    let cursor = try PackReader.open(path: folder.filePath(pack.path)).makeCursor()
    var entries: [PackEntry] = []
    while try cursor.next() { entries.append(cursor.entry) }
    return entries
  }

  @Test func `a missed publication is made up for once and the next keeps its schedule`() async throws {
    try await fill()
    try await withTemporaryFolder { path async throws in
      #expect(try await job(path, at: now).runOnce() == true)
      #expect(try await job(path, at: now + 60).runOnce() == false)
      // 03:00 UTC of the next day lies within the next 24 hours.
      #expect(try await job(path, at: now + 86_400).runOnce() == true)
      #expect(try await store.runs(limit: 5).map(\.cause) == [.schedule, .schedule])
    }
  }

  @Test func `only the lease owner publishes and another takes over when it dies`() async throws {
    try await fill()
    let pool = TestDatabase.current.pool
    let other = LeaseStore(pool: pool)
    let lease = try #require(try await other.take("publish"))
    #expect(try await other.take("publish") == lease)
    try await withTemporaryFolder { path async throws in
      // Leases use the database's clock, not the clock of the caller.
      #expect(try await job(path, at: now + 3_600).runOnce() == false)
      try await pool.withConnection {
        try await $0.execute(script: "UPDATE job_leases SET expires_at = expires_at - interval '31 seconds'")
      }
      #expect(try await job(path, at: now).runOnce() == true)
      // The lease is released at once.
      #expect(try await other.take("publish") != nil)
    }
  }

  @Test func `a revocation removes a number and adds a candidate immediately`() async throws {
    try await fill()
    let gone: Int64 = 33_199_000_049, come: Int64 = 33_199_999_999
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      _ = try await job(path, at: now).runOnce()
      let first = try #require(try folder.manifest()?.manifest)
      #expect(try entries(path, "toxic").contains { $0.number == gone })
      let before = try await listingCount()

      let out = Revocation(number: gone, reason: "An appeal", requestedBy: "Ada", requestedAt: now)
      let into = Revocation(
        number: come, action: .add(.robocall, label: nil), reason: "An attack", requestedBy: "Ada", requestedAt: now + 1
      )
      for revocation in [out, into, out] { try await store.request(revocation) }
      #expect(try await job(path, at: now + 5).runOnce() == true)
      let second = try #require(try folder.manifest()?.manifest)
      #expect(second.serial == 2)
      #expect(second.asOf == first.asOf && second.issued == first.issued + 5)
      for name in ["toxic", "blocklist"] {
        let numbers = try entries(path, name).map(\.number)
        #expect(!numbers.contains(gone) && numbers.contains(come))
        #expect(numbers.count == 400)
        #expect(numbers == numbers.sorted())
      }
      #expect(try entries(path, "toxic").last?.label == ReportCategory.robocall.label)
      for (pack, former) in zip(second.packs, first.packs) {
        let delta = try #require(pack.deltas.first { $0.fromSHA256 == former.sha256 })
        #expect(delta.bytes < pack.bytes)
      }
      for revocation in [out, into] { #expect(try await store.outcome(of: revocation.id)?.serial == 2) }
      #expect(try await listingCount() == before)

      // Nothing is left to do: the revocation is settled without another publication.
      let again = Revocation(number: gone, reason: "An appeal", requestedBy: "Ada", requestedAt: now + 9)
      try await store.request(again)
      #expect(try await job(path, at: now + 9).runOnce() == false)
      #expect(try await store.outcome(of: again.id)?.serial == 2)
    }
  }

  /// Decision record 58.
  @Test func `a directory may name an allowed number and no pack contains a revoked one`() async throws {
    try await fill()
    let pool = TestDatabase.current.pool
    let (allowed, revoked): (Int64, Int64) = (33_199_000_049, 33_199_000_064)
    let recipes = [
      Recipe(name: "blocklist", kind: .blocking, limit: 1_000),
      Recipe(name: "mixed", kind: .identification, limit: 1_000, source: .both),
      Recipe(name: "names", kind: .identification, limit: 1_000, source: .directory),
    ]
    try await withTemporaryFolder { path in
      let publisher = Publisher(
        store: store, folder: PublicationFolder(path: path), recipes: recipes,
        sources: ContentSources(directory: { _, _, take in
          try await take([allowed, revoked].map { DirectoryEntry(number: $0, name: "A bakery") })
        }), signing: { key }, logger: .forTests)
      func holding(_ number: Int64) throws -> [String: String] {
        try ["blocklist", "mixed", "names"].reduce(into: [:]) { found, name in
          found[name] = try entries(path, name).first { $0.number == number }.map { $0.label ?? "" }
        }
      }
      _ = try await publisher.publish(at: now)
      let everywhere = ["blocklist": "", "mixed": ReportCategory.fraud.label, "names": "A bakery"]
      for number in [allowed, revoked] { #expect(try holding(number) == everywhere) }

      let decisions = DecisionService(pool: pool)
      func decide(_ number: Int64) async throws -> Decision {
        let decision = try Decision(
          number: number, treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: now + 1)
        _ = try await decisions.record(decision)
        return decision
      }
      let allow = try #require(Revocation(carryingOut: try await decide(allowed)))
      var revoke = try #require(Revocation(carryingOut: try await decide(revoked)))
      revoke.action = .remove
      for request in [allow, revoke] { try await store.request(request) }
      #expect(try await publisher.publishRevocations(at: now + 5)?.serial == 2)
      #expect(try holding(allowed) == ["names": "A bakery"])
      #expect(try holding(revoked) == [:])

      _ = try await publisher.publish(at: now + 60)
      #expect(try holding(allowed) == ["mixed": "A bakery", "names": "A bakery"])
      #expect(try holding(revoked) == [:])
      let explanations = ExplanationStore(pool: pool)
      let account = try await explanations.explain(allowed, at: now + 60).lines[0]
      #expect(account.code == .allowed)
      let other = try await explanations.explain(revoked, at: now + 60).lines[0]
      #expect(other.code == .revoked)

      _ = try await decisions.undo(revoke.id, of: revoked, decidedBy: "Ada", at: now + 61)
      _ = try await publisher.publish(at: now + 120)
      #expect(try holding(revoked) == everywhere)
      #expect(try await !explanations.explain(revoked, at: now + 120).isRevoked)
    }
  }

  @Test func `the last listed number can be revoked`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      _ = try await job(path, at: now).runOnce()
      for number in 0..<400 {
        try await store.request(
          Revocation(
            number: 33_199_000_000 + Int64(number * number), reason: "All", requestedBy: "Ada", requestedAt: now))
      }
      #expect(try await job(path, at: now).runOnce() == true)
      #expect(try entries(path, "toxic") == [])
      #expect(try await listingCount() == 0)
    }
  }

  @Test func `a revocation before the first publication fails`() async throws {
    try await withTemporaryFolder { path in
      let revocation = Revocation(number: 33_199_000_000, reason: "x", requestedBy: "Ada", requestedAt: now)
      try await store.request(revocation)
      #expect(try await publisher(path).publishRevocations(at: now) == nil)
      #expect(try await store.outcome(of: revocation.id)?.failure == .nothingPublished)
    }
  }

  @Test func `a newly protected number leaves with the next revocation and cannot be added`() async throws {
    try await fill()
    let guarded: Int64 = 33_199_000_049, gone: Int64 = 33_199_000_064
    try await withTemporaryFolder { path in
      _ = try await job(path, at: now).runOnce()
      let out = Revocation(number: gone, reason: "An appeal", requestedBy: "Ada", requestedAt: now)
      let into = Revocation(
        number: guarded, action: .add(.fraud, label: nil), reason: "An attack", requestedBy: "Ada", requestedAt: now)
      for revocation in [out, into] { try await store.request(revocation) }
      let protecting = job(path, at: now + 5) { { $0 == guarded ? "the police" : nil } }
      #expect(try await protecting.runOnce() == true)
      for name in ["toxic", "blocklist"] {
        let numbers = try entries(path, name).map(\.number)
        #expect(numbers.count == 398 && !numbers.contains(guarded) && !numbers.contains(gone))
      }
      #expect(try await store.outcome(of: out.id)?.serial == 2)
      #expect(try await store.outcome(of: into.id)?.failure == .numberProtected(number: guarded))
      #expect(try await listingCount() == 398)
    }
  }

  private struct Unloadable: Error {}

  @Test func `a failed revocation does not prevent the publication and is retried with backoff`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      _ = try await job(path, at: now).runOnce()
      let out = Revocation(number: 33_199_000_064, reason: "An appeal", requestedBy: "Ada", requestedAt: now)
      try await store.request(out)
      let loads = Mutex(0)
      let nextNight = job(path, at: now + 86_400) {
        let isFirst = loads.withLock { count in
          count += 1
          return count == 1
        }
        if isFirst { throw Unloadable() }
        return { _ in nil }
      }
      await #expect(throws: Unloadable.self) { try await nextNight.runOnce() }
      #expect(try folder.manifest()?.manifest.serial == 2)
      #expect(try await store.outcome(of: out.id)?.settledAt == nil)

      let claim = try #require(try await store.claim(3, cause: .revocation, asOf: now))
      try await store.end(claim, as: .failed, failure: .cannotWrite(path: "/data", detail: "The disk is full"))
      let failures = try await store.revocationFailures()
      #expect(failures.failed == 1)
      #expect(try #require(failures.sinceFailure) < 40)
      let time = now + 86_400
      let unscheduled = PublicationScheduler(
        publisher: publisher(path), leases: LeaseStore(pool: TestDatabase.current.pool), schedule: CurrentSchedule(),
        logger: .forTests, now: { time })
      #expect(try await unscheduled.runOnce() == false)
      try await TestDatabase.current.pool.withConnection {
        try await $0.execute(script: "UPDATE publications SET heartbeat_at = heartbeat_at - interval '61 seconds'")
      }
      #expect(try await unscheduled.runOnce() == true)
      #expect(try await store.outcome(of: out.id)?.serial == 4)
    }
  }

  @Test func `failures before a serial is claimed are retried with backoff`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      _ = try await job(path, at: now).runOnce()
      try await store.request(
        Revocation(number: 33_199_000_064, reason: "An appeal", requestedBy: "Ada", requestedAt: now))
      let pauses = Mutex<[Duration]>([])
      let failing = PublicationScheduler(
        publisher: publisher(path) { throw Unloadable() }, leases: LeaseStore(pool: TestDatabase.current.pool),
        schedule: CurrentSchedule(), logger: .forTests,
        sleep: { pause in
          let count = pauses.withLock { all in
            all.append(pause)
            return all.count
          }
          if count == 8 { throw CancellationError() }
        })
      await failing.run()
      #expect(pauses.withLock { $0 } == [4, 8, 16, 32, 60, 60, 60, 60].map { .seconds($0) })
    }
  }

  /// Protected numbers also leave packs that the revocation itself does not change.
  @Test func `a newly protected number leaves every pack with the next revocation`() async throws {
    try await fill()
    let guarded: Int64 = 33_199_000_049, come: Int64 = 33_199_999_999
    try await withTemporaryFolder { path in
      let named = Recipe(name: "named", kind: .identification, limit: 1_000, ranking: .evidence)
      func publisher(_ protected: Int64?) -> Publisher {
        Publisher(
          store: store, folder: PublicationFolder(path: path), recipes: Recipe.shipped + [named], signing: { key },
          protection: { _ in ProtectionLookup { $0 == protected ? "the police" : nil } }, logger: .forTests)
      }
      _ = try await publisher(nil).publish(at: now)
      #expect(try entries(path, "named").contains { $0.number == guarded })
      // A pack not ranked by heat gets an added number only with the next full publication, so it is carried over.
      try await store.request(
        Revocation(
          number: come, action: .add(.fraud, label: nil), reason: "An attack", requestedBy: "Ada", requestedAt: now))
      _ = try await publisher(guarded).publishRevocations(at: now + 5)
      for name in ["toxic", "blocklist", "named"] {
        #expect(try !entries(path, name).contains { $0.number == guarded }, "\(name)")
      }
    }
  }

  @Test func `a revocation that a gate refuses is not retried`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      _ = try await job(path, at: now).runOnce()
      let out = Revocation(number: 33_199_000_064, reason: "An appeal", requestedBy: "Ada", requestedAt: now)
      try await store.request(out)
      let short = Recipe.shipped.map { recipe in
        var recipe = recipe
        recipe.limit = 10
        return recipe
      }
      let strict = Publisher(
        store: store, folder: PublicationFolder(path: path), recipes: short, signing: { key }, logger: .forTests)
      await #expect(throws: PublishingError.self) { try await strict.publishRevocations(at: now + 5) }
      #expect(try await store.outcome(of: out.id)?.failure == .gatesClosed(gates: "cap"))
      #expect(try await strict.publishRevocations(at: now + 7) == nil)
    }
  }

  @Test func `a refused manual publication does not cancel the scheduled one`() async throws {
    try await fill()
    try await withTemporaryFolder { path async throws in
      let guarded = publisher(path) { { $0 == 33_199_000_049 ? "the police" : nil } }
      await #expect(throws: PublishingError.self) { try await guarded.publish(at: now) }
      #expect(try await store.runs(limit: 1).map(\.state) == [.refused])
      #expect(try await job(path, at: now).runOnce() == true)
    }
  }

  @Test func `no revocation is completed while another publisher runs`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      _ = try await job(path, at: now).runOnce()
      let absent = Revocation(number: 33_199_000_002, reason: "An appeal", requestedBy: "Ada", requestedAt: now)
      try await store.request(absent)
      let lock = open("\(path)/.lock", O_RDWR)
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      await #expect(throws: PublishingError.busy) { try await publisher(path).publishRevocations(at: now) }
      #expect(try await store.outcome(of: absent.id)?.settledAt == nil)
      close(lock)
      #expect(try await publisher(path).publishRevocations(at: now) == nil)
      #expect(try await store.outcome(of: absent.id)?.serial == 1)
    }
  }
}
