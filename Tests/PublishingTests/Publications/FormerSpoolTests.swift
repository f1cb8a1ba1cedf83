import CallerPack
import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Publishing

/// A version before this one revealed a publication and was killed before the database heard of it; then came the upgrade.
@Suite(.database) struct FormerSpoolTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private var pool: PostgresPool { TestDatabase.current.pool }
  private var store: PublicationStore { PublicationStore(pool: pool) }

  private func publisher(_ folder: PublicationFolder) -> Publisher {
    let key = SigningKey(String(repeating: "07", count: 32))
    return Publisher(
      store: store, folder: folder, recipes: Recipe.shipped.filter { $0.source == .reports },
      signing: { try #require(key) }, logger: .forTests)
  }

  @Test func itsListingsAreThoseOfItsPacks() async throws {
    let numbers = (0..<40).map { 33_162_000_000 + Int64($0 * $0) }
    let reports = numbers.flatMap { number in
      (0..<6).map { reporter in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud,
          reporter: [UInt8](repeating: UInt8(reporter), count: 16))
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    try await ThresholdStore(pool: pool).beLenient()
    try await withTemporaryFolder { path async throws in
      let folder = PublicationFolder(path: path)
      _ = try await publisher(folder).publish(at: now)
      #expect(try await store.listingCount() == 40)

      // One more than the packs had room for.
      let writer = try ListedSpool.Writer(ListedSpool(formerOf: folder, serial: 1))
      try writer.append(
        (numbers + [33_199_999_999]).map { ListedNumber(number: $0, category: .fraud, heat: 9, evidence: 9) })
      try writer.finish()
      try await pool.withConnection {
        try await $0.execute(script: "TRUNCATE publications CASCADE; TRUNCATE listings")
      }
      // The next run tells it, before anything else; a number that goes out at once is gone from it then.
      try await store.request(
        Revocation(number: numbers[7], reason: "An appeal", requestedBy: "Ada", requestedAt: now))
      #expect(try await publisher(folder).publishRevocations(at: now + 60)?.serial == 2)
      let listed = try await pool.withConnection { connection in
        try await connection.query("SELECT number FROM listings ORDER BY 1").map { try $0.decode(0, as: Int64.self) }
      }
      #expect(listed == numbers.filter { $0 != numbers[7] })
      #expect(!ListedSpool(formerOf: folder, serial: 1).isThere)
    }
  }
}
