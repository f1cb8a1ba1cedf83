import CallerPack
import Curation
import Foundation
import Publishing
import Storage
import TestSupport
import Testing

@Suite(.database) struct PublicationJobTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let key = SigningKey()

  private var store: PublicationStore { PublicationStore(pool: TestDatabase.current.pool) }

  private func fill() async throws {
    let reports = (0..<400).flatMap { number in
      (0..<5).map { reporter in
        Report(
          number: 33_162_000_000 + Int64(number * number), appID: 1, reportID: UUID(), reportedAt: now,
          category: .fraud, reporter: [UInt8](repeating: UInt8(reporter), count: 16))
      }
    }
    _ = try await ReportStore(pool: TestDatabase.current.pool).accept(reports, receivedAt: now)
    try await ThresholdStore(pool: TestDatabase.current.pool).beLenient()
  }

  private func job(_ path: String, at time: Date, leases: LeaseStore? = nil) -> PublicationJob {
    PublicationJob(
      publisher: Publisher(
        store: store, folder: PublicationFolder(path: path), signing: key, logger: .forTests),
      leases: leases ?? LeaseStore(pool: TestDatabase.current.pool),
      schedule: NightSchedule(time: "03:00", zone: "UTC"), logger: .forTests, now: { time })
  }

  private func entries(_ path: String, _ name: String) throws -> [PackEntry] {
    let folder = PublicationFolder(path: path)
    let pack = try #require(try folder.manifest()?.manifest.packs.first { $0.name == name })
    let cursor = try PackReader.open(path: folder.filePath(pack.path)).makeCursor()
    var entries: [PackEntry] = []
    while try cursor.next() { entries.append(cursor.entry) }
    return entries
  }

  @Test func aMissedNightIsCaughtUpOnceAndTheNextComesNextNight() async throws {
    try await fill()
    try await withTemporaryFolder { path async throws in
      #expect(try await job(path, at: now).runOnce() == true)
      #expect(try await job(path, at: now + 60).runOnce() == false)
      // 03:00 UTC of the next day lies within the next 24 hours.
      #expect(try await job(path, at: now + 86_400).runOnce() == true)
      #expect(try await store.runs(limit: 5).map(\.cause) == [.night, .night])
    }
  }

  @Test func whoHoldsTheLeaseDoesItAndWhenItDiesAnotherTakesOver() async throws {
    try await fill()
    let pool = TestDatabase.current.pool
    let other = LeaseStore(pool: pool)
    let lease = try #require(try await other.take("publish", now: now))
    #expect(try await other.take("publish", now: now) == lease)
    try await withTemporaryFolder { path async throws in
      #expect(try await job(path, at: now).runOnce() == false)
      #expect(try await job(path, at: now + LeaseStore.duration + 1).runOnce() == true)
      // It is given back at once.
      #expect(try await other.take("publish", now: now) != nil)
    }
  }

  @Test func aNumberGoesOutAndAnotherComesInWithoutWaitingForTheNight() async throws {
    try await fill()
    let gone: Int64 = 33_162_000_049, come: Int64 = 33_162_999_999
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      _ = try await job(path, at: now).runOnce()
      let first = try #require(try folder.manifest()?.manifest)
      #expect(try entries(path, "toxic").contains { $0.number == gone })
      let before = try await store.listingCount()

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
      #expect(try await store.listingCount() == before)

      // Nothing left to do: it is settled without another publication.
      let again = Revocation(number: gone, reason: "An appeal", requestedBy: "Ada", requestedAt: now + 9)
      try await store.request(again)
      #expect(try await job(path, at: now + 9).runOnce() == false)
      #expect(try await store.outcome(of: again.id)?.serial == 2)
    }
  }

  @Test func theLastNumberMayGoToo() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      _ = try await job(path, at: now).runOnce()
      for number in 0..<400 {
        try await store.request(
          Revocation(
            number: 33_162_000_000 + Int64(number * number), reason: "All", requestedBy: "Ada", requestedAt: now))
      }
      #expect(try await job(path, at: now).runOnce() == true)
      #expect(try entries(path, "toxic") == [])
      #expect(try await store.listingCount() == 0)
    }
  }

  @Test func beforeTheFirstPublicationThereIsNothingToRevoke() async throws {
    try await withTemporaryFolder { path in
      let revocation = Revocation(number: 33_162_000_000, reason: "x", requestedBy: "Ada", requestedAt: now)
      try await store.request(revocation)
      let publisher = Publisher(
        store: store, folder: PublicationFolder(path: path), signing: key, logger: .forTests)
      #expect(try await publisher.publishRevocations(at: now) == nil)
      #expect(try await store.outcome(of: revocation.id)?.failure == "Nothing has been published yet.")
    }
  }
}
