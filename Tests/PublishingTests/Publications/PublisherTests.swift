// SPDX-License-Identifier: Apache-2.0

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

@Suite(.database) struct PublisherTests {
  private var store: PublicationStore { PublicationStore(pool: TestDatabase.current.pool) }

  private let key = SigningKey(String(repeating: "07", count: 32))

  private func publisher(
    _ folder: PublicationFolder, _ policy: PublicationPolicy = PublicationPolicy()
  ) throws -> Publisher {
    Publisher(
      store: store, folder: folder, recipes: Recipe.shipped.filter { $0.source == .reports },
      signing: { try #require(key) }, policy: policy, logger: .forTests)
  }

  /// The numbers of consecutive publications overlap.
  private func fill(_ night: Int = 0, of count: Int = 40) async throws {
    var reports: [Report] = []
    for number in (night * 5)..<(night * 5 + count) {
      for reporter in 0..<(1 + number % 8) {
        reports.append(
          Report(
            number: 33_199_000_000 + Int64(number * number), appID: 1, reportID: UUID(), reportedAt: now,
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

  @Test func `a publication contains the listed numbers in order`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let manifest = try await self.publisher(folder).publish(at: now)
      #expect(manifest.serial == 1)
      #expect(manifest.packs.map(\.name) == ["blocklist", "toxic"])
      _ = try TrustStore(key: #require(key).verifying)
        .verify(manifest: Data(contentsOf: URL(filePath: folder.manifestPath)), at: now)
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

  @Test func `a publication ends the decisions that have expired`() async throws {
    let decisions = DecisionStore(pool: TestDatabase.current.pool)
    let decisionService = DecisionService(pool: TestDatabase.current.pool)
    for (offset, expiry) in [(Int64(0), now), (1, now + 1)] {
      _ = try await decisionService.record(
        try Decision(
          number: 33_199_000_248 + offset, treatment: .block, category: .fraud, reason: "Calls.", decidedBy: "Ada",
          decidedAt: now - 86_400, expiresAt: expiry))
    }
    try await withTemporaryFolder { path in
      let manifest = try await self.publisher(PublicationFolder(path: path)).publish(at: now)
      #expect(try entries("\(path)/\(manifest.packs[1].path)").map(\.number) == [33_199_000_249])
    }
    #expect(try await decisions.standing(of: 33_199_000_248) == nil)
  }

  @Test func `a publication for a time in the future ends no decision before its expiry`() async throws {
    let decisions = DecisionStore(pool: TestDatabase.current.pool)
    let decisionService = DecisionService(pool: TestDatabase.current.pool)
    let decision = try Decision(
      number: 33_199_000_248, treatment: .block, category: .fraud, reason: "Calls.", decidedBy: "Ada",
      decidedAt: Date(), expiresAt: Date() + 30 * 86_400)
    _ = try await decisionService.record(decision)
    try await withTemporaryFolder { path in
      _ = try await self.publisher(PublicationFolder(path: path)).publish(at: Date() + 60 * 86_400)
    }
    #expect(try await decisions.standing(of: decision.number)?.decisionID == decision.id)
    #expect(try await decisions.history(of: decision.number).count == 1)
  }

  /// Two folders simulate two machines that make the same two publications from the same database.
  @Test func `the same data, time and serial give the same bytes`() async throws {
    try await fill(1, of: 2_000)
    try await withTemporaryFolder { path in
      let folders = ["\(path)/1", "\(path)/2"]
      for folder in folders {
        _ = try await publisher(PublicationFolder(path: folder)).publish(PublicationRequest(time: now, serial: 1))
        // The other machine has its own database.
        try await TestDatabase.current.pool.withConnection { connection in
          try await connection.execute(script: "TRUNCATE publications CASCADE")
        }
      }
      try await fill(2, of: 2_000)
      for folder in folders {
        let second = try await publisher(PublicationFolder(path: folder))
          .publish(PublicationRequest(time: now + 86_400, serial: 7))
        #expect(second.previous?.serial == 1)
        #expect(second.packs.contains { !$0.deltas.isEmpty })
        try await TestDatabase.current.pool.withConnection { connection in
          try await connection.execute(script: "TRUNCATE publications CASCADE")
        }
      }
      let files = try FileManager.default.subpathsOfDirectory(atPath: folders[0]).sorted()
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folders[1]).sorted() == files)
      #expect(files.count { $0.hasPrefix("deltas/") } >= 1)
      for file in files where FileManager.default.contents(atPath: "\(folders[0])/\(file)") != nil {
        let bytes = folders.map { FileManager.default.contents(atPath: "\($0)/\(file)") }
        #expect(bytes[0] == bytes[1], "\(file)")
      }
    }
  }

  @Test func `manifests are chained and unchanged packs stay`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let publisher = try self.publisher(folder)
      let one = try await publisher.publish(at: now)
      let first = try #require(try folder.manifest())
      let second = try await publisher.publish(at: now + 60)
      #expect(second.previous == first.link)
      #expect(second.serial == 2)
      // The same numbers and labels give the same files.
      #expect(second.packs == one.packs)
      #expect(try await store.latest()?.serial == 2)
      let history = try await store.history(limit: 5)
      #expect(history.map(\.run.state) == [.published, .published])
      #expect(history[0].packs.map(\.packSerial) == [1, 1])
      #expect(history[0].gates.count > 10 && history[0].gates.allSatisfy(\.passed))
    }
  }

  @Test func `deltas lead from every recent publication`() async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      var manifests: [Manifest] = []
      for night in 0..<4 {
        try await fill(night, of: 2_000)
        manifests.append(
          try await publisher(folder, PublicationPolicy(deltaBases: 2)).publish(at: now + Double(night) * 86_400))
      }
      for pack in manifests[3].packs {
        #expect(pack.deltas.map(\.fromSerial) == [3, 2])
        for (delta, base) in zip(pack.deltas, [manifests[2], manifests[1]]) {
          let held = try #require(base.packs.first { $0.name == pack.name })
          #expect(delta.fromSHA256 == held.sha256)
          #expect(delta.bytes < pack.bytes)
          let update = PackUpdate(pack: pack, step: .delta(delta))
          try update.apply(
            deltaAt: folder.filePath(delta.path), base: folder.filePath(held.path), to: "\(path)/result")
        }
      }
      // The two files before the newest stay as bases of deltas. The next publication removes the first one.
      _ = try await publisher(folder, PublicationPolicy(deltaBases: 2)).publish(at: now + 4 * 86_400)
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(path)/manifests").sorted()
      #expect(files == ["2.json", "3.json", "4.json", "5.json"])
      #expect(!FileManager.default.fileExists(atPath: folder.filePath(manifests[0].packs[0].path)))
    }
  }

  @Test func `files of a killed publisher are removed and its serial is not used again`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let publisher = try self.publisher(folder)
      _ = try await publisher.publish(at: now)
      // A claim, a pack of a publication that never became visible, and an incomplete file of another.
      let claim = try #require(try await store.claim(2, cause: .command, asOf: now))
      let kept = #"{"serial":2,"token":"\#(claim.token.uuidString)"}"#
      try Data(kept.utf8).write(to: URL(filePath: "\(path)/.claim"))
      for file in ["toxic-2.rfpack", "toxic-2.rfpack.aBcDeF"] {
        try Data("half".utf8).write(to: URL(filePath: "\(path)/packs/\(file)"))
      }
      try await fill(1)
      let manifest = try await publisher.publish(at: now + 86_400)
      #expect(manifest.serial == 3)
      #expect(try await store.runs(limit: 9).map(\.state) == [.published, .failed, .published])
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(path)/packs").sorted()
      #expect(files == ["blocklist-1.rfpack", "blocklist-3.rfpack", "toxic-1.rfpack", "toxic-3.rfpack"])
    }
  }

  @Test func `a publication missing in the database is recorded by the next run`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let publisher = try self.publisher(PublicationFolder(path: path))
      _ = try await publisher.publish(at: now)
      try await TestDatabase.current.pool.withConnection { connection in
        try await connection.execute(script: "TRUNCATE publications CASCADE")
      }
      let second = try await publisher.publish(at: now + 60)
      #expect(second.serial == 2)
      #expect(second.previous?.serial == 1)
      #expect(try await store.history(limit: 5).map(\.packs.count) == [2, 2])
    }
  }

  @Test func `two publishers never claim the same serial`() async throws {
    try await fill()
    let store = store
    let claims = try await withThrowingTaskGroup(of: PublicationClaim?.self) { group in
      for _ in 0..<8 { group.addTask { try await store.claim(5, cause: .schedule, asOf: now) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(claims.compactMap(\.self).count == 1)
    // While one publication is running, no other starts, even in another folder.
    try await withTemporaryFolder { path in
      let publisher = try self.publisher(PublicationFolder(path: path))
      await #expect(throws: PublishingError.busy) { try await publisher.publish(at: now) }
      // A publication without heartbeats is given up.
      try await TestDatabase.current.pool.withConnection {
        try await $0.execute(script: "UPDATE publications SET heartbeat_at = heartbeat_at - interval '61 seconds'")
      }
      #expect(try await store.claim(6, cause: .schedule, asOf: now) != nil)
      let claim = try #require(claims.compactMap(\.self).first)
      #expect(try await store.report(claim, step: .revealing, percent: 99) == false)
    }
    let recorded = Publication(serial: 9, publishedAt: now, asOf: now, manifestSHA256: [UInt8](repeating: 1, count: 32))
    try await store.record(recorded)
    try await store.record(recorded)
    let other = Publication(serial: 9, publishedAt: now, asOf: now, manifestSHA256: [UInt8](repeating: 2, count: 32))
    await #expect(throws: StorageError.serialTaken(9)) { try await store.record(other) }
  }

  @Test func `a failed gate keeps the former publication until it is overruled`() async throws {
    try await fill(0, of: 400)
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let strict = PublicationPolicy(limits: GateLimits(maxSize: 1.2, tolerance: 10))
      let publisher = try self.publisher(folder, strict)
      let first = try await publisher.publish(at: now)
      try await fill(100, of: 400)
      await #expect(throws: PublishingError.self) { try await publisher.publish(at: now + 60) }
      #expect(try folder.manifest()?.manifest == first)
      let run = try #require(try await store.history(limit: 1).first)
      #expect(run.run.state == .refused)
      #expect(run.run.failure == .gatesClosed)
      let churn = try #require(run.gates.first { $0.gate == "churn" && $0.pack == "blocklist" })
      #expect(!churn.passed && churn.finding.code == .tooMuchChurn)
      #expect(Set(run.gates.filter { !$0.passed }.map(\.gate)) == ["size", "churn"])

      let words = [Gate.size, .churn].map { PublicationRequest.Overrule(gate: $0, reason: "A new source", by: "Ada") }
      await #expect(throws: PublishingError.self) {
        try await publisher.publish(PublicationRequest(time: now + 60, overrules: [words[0]]))
      }
      let third = try await publisher.publish(PublicationRequest(time: now + 60, overrules: words))
      #expect(third.serial == 4)
      let gates = try #require(try await store.history(limit: 1).first).gates
      #expect(gates.filter { !$0.passed }.allSatisfy { $0.overruledBy == "Ada" && $0.overruledWhy == "A new source" })
    }
  }

  /// File names can be guessed, and the server serves every file in its final place.
  @Test func `no file of a refused publication is placed`() async throws {
    try await fill(0, of: 400)
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let strict = PublicationPolicy(limits: GateLimits(maxSize: 1.2, tolerance: 10))
      let publisher = try self.publisher(folder, strict)
      _ = try await publisher.publish(at: now)
      let before = try files(path)
      #expect(before.contains("packs/toxic-1.rfpack"))
      try await fill(100, of: 400)
      await #expect(throws: PublishingError.self) { try await publisher.publish(at: now + 60) }
      #expect(try files(path) == before)
      #expect(try !FileManager.default.subpathsOfDirectory(atPath: "\(path)/.work").contains { $0.hasSuffix("rfpack") })
    }
  }

  /// Files that a server serves.
  private func files(_ path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Publications that do not change a pack remove neither its deltas nor their bases.
  @Test func `deltas are counted by pack files and not by publications`() async throws {
    try await fill(1, of: 2_000)
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let publisher = try self.publisher(folder, PublicationPolicy(deltaBases: 2, lifetime: 30))
      func publish(_ night: Int) async throws -> ManifestPack {
        let manifest = try await publisher.publish(at: now + Double(night) * 60)
        return try #require(manifest.packs.first { $0.name == "toxic" })
      }
      let first = try await publish(0)
      try await fill(2, of: 2_000)
      #expect(try await publish(1).deltas.map(\.fromSerial) == [1])
      for night in 2..<7 { #expect(try await publish(night).deltas.map(\.fromSerial) == [1]) }
      #expect(FileManager.default.fileExists(atPath: folder.filePath(first.path)))
      try await fill(3, of: 2_000)
      #expect(try await publish(7).deltas.map(\.fromSerial) == [2, 1])
      try await fill(4, of: 2_000)
      #expect(try await publish(8).deltas.map(\.fromSerial) == [8, 2])
      _ = try await publish(9)
      #expect(!FileManager.default.fileExists(atPath: folder.filePath(first.path)))
    }
  }

  @Test func `a protected number is never published`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let first = try await publisher(folder).publish(at: now)
      let number = try #require(first.packs[0].first)
      let guarded = Publisher(
        store: store, folder: folder, signing: { try #require(key) },
        protection: { _ in ProtectionLookup { $0 == number ? "the police" : nil } }, logger: .forTests)
      let words = Gate.allCases.map { PublicationRequest.Overrule(gate: $0, reason: "Because", by: "Ada") }
      do {
        _ = try await guarded.publish(PublicationRequest(time: now + 60, overrules: words))
        Issue.record("published")
      } catch PublishingError.heldBack(let gates) {
        #expect(Set(gates.closed.map(\.gate)) == ["protected"])
        #expect(gates.closed.allSatisfy { $0.finding == .protectedNumbers([number]) })
      }
      #expect(try folder.manifest()?.manifest == first)
    }
  }

  @Test(arguments: ["", "{", "{}"]) func `a damaged manifest is named in the error and kept`(_ text: String)
    async throws
  {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      try Data(text.utf8).write(to: URL(filePath: folder.manifestPath))
      await #expect(throws: PublishingError.badManifest(folder.manifestPath)) {
        try await self.publisher(folder).publish(at: now)
      }
      #expect(try String(contentsOfFile: folder.manifestPath, encoding: .utf8) == text)
    }
  }

  @Test func `the key can be rotated many times beside a running publisher`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let present = Mutex(SigningKey())
      let publisher = Publisher(
        store: store, folder: folder, signing: { present.withLock { $0 } }, logger: .forTests)
      _ = try await publisher.publish(at: now)
      for _ in 0..<17 {
        let new = SigningKey()
        _ = try folder.rotate(from: present.withLock { $0 }, to: new, at: now)
        present.withLock { $0 = new }
      }
      let trust = TrustStore(key: present.withLock { $0 }.verifying)
      let data = try #require(FileManager.default.contents(atPath: folder.manifestPath))
      #expect(try trust.verify(manifest: data, at: now).head.serial == 1)
      #expect(try await publisher.publish(at: now + 60).serial == 2)
    }
  }

  @Test func `only one publisher runs at a time`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let publisher = try self.publisher(PublicationFolder(path: path))
      _ = try await publisher.publish(at: now)
      let lock = open("\(path)/.lock", O_RDWR)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      await #expect(throws: PublishingError.busy) { try await publisher.publish(at: now) }
    }
  }

  @Test func `only valid pack names have a serial`() {
    #expect(PublicationFolder.serial(ofPackFile: "toxic-12.rfpack") == 12)
    #expect(PublicationFolder.serial(ofPackFile: "blocklist.2-12.rfpack") == 12)
    for name in [
      "../manifest.json", "toxic-0.rfpack", "toxic.rfpack", "a/b-1.rfpack", "toxic-1.rfpack\n", "", "..-1.rfpack",
      "a..b-1.rfpack",
    ] {
      #expect(PublicationFolder.serial(ofPackFile: name) == nil)
    }
  }
}
