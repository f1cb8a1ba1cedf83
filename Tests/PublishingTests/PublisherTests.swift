import CallerPack
import Curation
import Foundation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@Suite(.database) struct PublisherTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private var store: PublicationStore { PublicationStore(pool: TestDatabase.current.pool) }

  private let key = SigningKey(String(repeating: "07", count: 32))

  private func publisher(_ folder: PublicationFolder) throws -> Publisher {
    Publisher(store: store, folder: folder, signing: try #require(key), logger: .forTests)
  }

  private func fill() async throws {
    var reports: [Report] = []
    for number in 0..<40 {
      for reporter in 0..<(1 + number % 8) {
        reports.append(
          Report(
            number: 33_162_000_000 + Int64(number), appID: 1, reportID: UUID(), reportedAt: now,
            category: number % 2 == 0 ? .fraud : .robocall, reporter: [UInt8](repeating: UInt8(reporter), count: 16)))
      }
    }
    _ = try await ReportStore(pool: TestDatabase.current.pool).accept(reports, receivedAt: now)
    try await ThresholdStore(pool: TestDatabase.current.pool).beLenient()
  }

  private func entries(_ path: String) throws -> [PackEntry] {
    let cursor = try PackReader.open(path: path).makeCursor()
    var entries: [PackEntry] = []
    while try cursor.next() { entries.append(cursor.entry) }
    return entries
  }

  @Test func aPublicationHoldsTheListedNumbersInOrder() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let manifest = try await self.publisher(folder).publish(at: now)
      #expect(manifest.serial == 1)
      #expect(manifest.packs.map(\.name) == ["blocklist", "toxic"])
      let toxic = try entries("\(path)/\(manifest.packs[1].path)")
      // Fraud needs two reporters, robocalls three; confidence holds with two and four of two and four.
      #expect(toxic.map(\.number) == toxic.map(\.number).sorted())
      #expect(toxic.count == manifest.packs[1].entries)
      #expect(toxic.allSatisfy { $0.label == ($0.number % 2 == 0 ? "Suspected fraud" : "Robocall") })
      #expect(try entries("\(path)/\(manifest.packs[0].path)").map(\.number) == toxic.map(\.number))
      #expect(manifest.packs[1].first == toxic.first?.number)
      #expect(manifest.packs[1].last == toxic.last?.number)
      let digest = try PackReader.open(path: "\(path)/\(manifest.packs[1].path)").digest()
      #expect(digest.hex == manifest.packs[1].sha256)
    }
  }

  @Test func theSameDataAndTimeGiveTheSameBytes() async throws {
    try await fill()
    try await withTemporaryFolder { first in
      try await withTemporaryFolder { second in
        let one = try await self.publisher(PublicationFolder(path: first)).publish(at: now)
        // A fresh folder would go on from the serial that the database has recorded.
        try await TestDatabase.current.pool.withConnection { try await $0.execute(script: "DELETE FROM publications") }
        let two = try await self.publisher(PublicationFolder(path: second)).publish(at: now)
        #expect(one.packs[0].entries > 0)
        for file in ["manifest.json"] + one.packs.map(\.path) {
          let bytes = try [first, second].map { try Data(contentsOf: URL(filePath: "\($0)/\(file)")) }
          #expect(bytes[0] == bytes[1], "\(file)")
        }
        #expect(two == one)
      }
    }
  }

  @Test func manifestsAreChainedAndOldPacksStayForAWhile() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let publisher = try self.publisher(folder)
      _ = try await publisher.publish(at: now)
      let first = try #require(try folder.manifest())
      let second = try await publisher.publish(at: now + 60)
      #expect(second.previous == first.link)
      #expect(FileManager.default.fileExists(atPath: folder.packPath("toxic-1.rfpack")))
      #expect(try await store.latest()?.serial == 2)
    }
  }

  @Test func whatAKilledPublisherLeftIsSwept() async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let publisher = try self.publisher(folder)
      _ = try await publisher.publish(at: now)
      // A pack of a publication that never became visible, and half of another.
      for file in ["toxic-2.rfpack", ".toxic-2.rfpack.partial"] {
        try Data("half".utf8).write(to: URL(filePath: folder.packPath(file)))
      }
      let manifest = try await publisher.publish(at: now)
      #expect(manifest.serial == 2)
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(path)/packs").sorted()
      #expect(
        files == ["blocklist-1.rfpack", "blocklist-2.rfpack", "toxic-1.rfpack", "toxic-2.rfpack"])
      try PackReader.open(path: folder.packPath("toxic-2.rfpack")).verify()
    }
  }

  @Test(arguments: ["", "{", "{}"]) func aDamagedManifestIsNamedAndStays(_ text: String) async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      try Data(text.utf8).write(to: URL(filePath: folder.manifestPath))
      await #expect(throws: PublishingError.badManifest(folder.manifestPath)) {
        try await self.publisher(folder).publish(at: now)
      }
      #expect(try String(contentsOfFile: folder.manifestPath, encoding: .utf8) == text)
    }
  }

  @Test func onePublisherAtATime() async throws {
    try await withTemporaryFolder { path in
      let publisher = try self.publisher(PublicationFolder(path: path))
      _ = try await publisher.publish(at: now)
      let lock = open("\(path)/.lock", O_RDWR)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      await #expect(throws: PublishingError.busy) { try await publisher.publish(at: now) }
    }
  }

  @Test func onlyPackNamesAreServed() {
    #expect(PublicationFolder.serial(ofPackFile: "toxic-12.rfpack") == 12)
    for name in [
      "../manifest.json", "toxic-0.rfpack", "toxic.rfpack", "a/b-1.rfpack", "toxic-1.rfpack\n", "",
    ] {
      #expect(PublicationFolder.serial(ofPackFile: name) == nil)
    }
  }
}
