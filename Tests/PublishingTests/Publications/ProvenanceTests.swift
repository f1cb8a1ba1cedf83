// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Moderation
import PackFormats
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Publishing

@Suite(.database) struct ProvenanceTests {
  let now = Date(timeIntervalSince1970: 1_795_000_000)
  let today = "2026-11-18"

  var pool: PostgresPool { TestDatabase.current.pool }
  var store: PublicationStore { PublicationStore(pool: pool) }

  let key = SigningKey(String(repeating: "07", count: 32))

  static let shared = [
    Recipe(name: "toxic", kind: .identification, limit: 1_000, keepsEmpty: true, sharesEvidence: true),
    Recipe(name: "blocklist", kind: .blocking, limit: 1_000, keepsEmpty: true, sharesEvidence: true),
  ]

  func publisher(
    _ path: String, _ recipes: [Recipe] = ProvenanceTests.shared, names: [DirectoryEntry] = []
  ) throws -> Publisher {
    Publisher(
      store: store, folder: PublicationFolder(path: path), recipes: recipes,
      sources: ContentSources(directory: { _, _, take in try await take(names) }),
      signing: { try #require(key) }, logger: .forTests)
  }

  let few: Int64 = 33_199_000_100
  let five: Int64 = 33_199_000_111
  let many: Int64 = 33_199_000_122
  let blocked: Int64 = 33_199_000_133
  let identified: Int64 = 33_199_000_144
  let onList: Int64 = 33_199_000_155

  /// - Parameter reporters: the first of them; reporters of later calls with the same start replace their votes.
  func complain(
    _ number: Int64, _ category: ReportCategory = .fraud, reporters: Range<Int>, daysAgo: Double = 0
  ) async throws {
    let time = now - daysAgo * 86_400
    let reports = reporters.map { reporter in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: time, category: category,
        reporter: [UInt8](repeating: UInt8(reporter), count: 16))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
  }

  func decide(
    _ number: Int64, _ treatment: Decision.Treatment, _ category: ReportCategory? = nil
  ) async throws {
    _ = try await DecisionService(pool: pool).record(
      try Decision(
        number: number, treatment: treatment, label: treatment == .identify ? "A survey" : nil, category: category,
        reason: "Calls.", decidedBy: "Ada", decidedAt: now))
  }

  /// Numbers by reporters, by decisions, by a list, and with votes that count for them.
  func fill() async throws {
    try await ThresholdStore(pool: pool).beLenient()
    try await complain(few, reporters: 0..<4)
    try await complain(five, .robocall, reporters: 0..<5, daysAgo: 1)
    try await complain(many, reporters: 0..<60)
    try await complain(many, .legitimate, reporters: 60..<62)
    try await decide(blocked, .block, .oneRing)
    try await complain(identified, .fraud, reporters: 0..<12, daysAgo: 2)
    try await decide(identified, .identify, .survey)
    let list = try await AppStore(pool: pool).source(named: "A list", at: now).id
    let rows = (0..<9).map { _ in
      Report(number: onList, appID: list, reportID: UUID(), reportedAt: now, category: .gambling, reporter: nil)
    }
    _ = try await ReportStore(pool: pool).accept(rows, receivedAt: now)
  }

  /// The header and the rows of a pack's evidence file, whose digest and length are in the signed manifest.
  func evidence(_ name: String, _ path: String) throws -> (header: ProvenanceHeader, rows: [ProvenanceRow]) {
    let folder = PublicationFolder(path: path)
    let head = try Data(contentsOf: URL(filePath: folder.manifestPath))
    _ = try TrustStore(key: #require(key).verifying).verify(manifest: head, at: now + 60)
    let manifest = try #require(try folder.manifest()?.manifest)
    let pack = try #require(manifest.packs.first { $0.name == name })
    let file = try #require(pack.formats.first { $0.format == "evidence" })
    #expect(file.path.wholeMatch(of: /formats\/[a-z.0-9]+-[0-9]+\.evidence\.jsonl\.gz/) != nil)
    #expect(try PackDigest.ofFile(folder.filePath(file.path)).hex == file.sha256)
    #expect(try Data(contentsOf: URL(filePath: folder.filePath(file.path))).count == file.bytes)
    let lines = try text(folder.filePath(file.path)).split(separator: "\n")
    let header = try JSONDecoder().decode(ProvenanceHeader.self, from: Data(#require(lines.first).utf8))
    let rows = try lines.dropFirst().map { try JSONDecoder().decode(ProvenanceRow.self, from: Data($0.utf8)) }
    let server = try #require(try folder.serverID())
    #expect(header == ProvenanceHeader(server: server, entries: rows.count))
    #expect(rows.map(\.number) == rows.map(\.number).sorted())
    let numbers = Set(try self.numbers(folder.filePath(pack.path)))
    #expect(rows.allSatisfy { numbers.contains($0.number) })
    return (header, rows)
  }

  func text(_ path: String) throws -> String {
    let reader = try GzipFileReader(URL(filePath: path))
    var bytes: [UInt8] = []
    while let piece = try reader.read() { bytes += piece }
    return String(decoding: bytes, as: UTF8.self)
  }

  func numbers(_ path: String) throws -> [Int64] {
    let cursor = try PackReader.open(path: path).makeCursor()
    var numbers: [Int64] = []
    while try cursor.next() { numbers.append(cursor.number) }
    return numbers
  }

  func evidenceFile(_ manifest: Manifest, _ name: String) throws -> ManifestPack.File {
    try #require(manifest.packs.first { $0.name == name }?.formats.first { $0.format == "evidence" })
  }

  @Test func `the file has the reasons of each listing`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      _ = try await publisher(path).publish(at: now)
      let own = try #require(try PublicationFolder(path: path).serverID())
      let rows = [
        ProvenanceRow(
          number: few, category: "fraud", treatment: "block", strength: nil, lastDay: today, origins: [own]),
        ProvenanceRow(
          number: five, category: "robocall", treatment: "block", strength: 5, lastDay: "2026-11-17", origins: [own]),
        ProvenanceRow(
          number: many, category: "fraud", treatment: "block", strength: 50, lastDay: today, origins: [own]),
        ProvenanceRow(
          number: blocked, category: "one_ring", treatment: "block", strength: nil, lastDay: nil, origins: [own]),
        ProvenanceRow(
          number: identified, category: "survey", treatment: "identify", strength: 10, lastDay: "2026-11-16",
          origins: [own]),
        ProvenanceRow(
          number: onList, category: "gambling", treatment: "block", strength: nil, lastDay: today, origins: [own]),
      ]
      #expect(try evidence("toxic", path).rows == rows)
      #expect(try evidence("blocklist", path).rows == rows.filter { $0.treatment == "block" })
      let work = try FileManager.default.contentsOfDirectory(atPath: "\(path)/.work")
      #expect(work.isEmpty, "\(work)")
    }
  }

  @Test func `reported members of an approved range are in the file`() async throws {
    try await ThresholdStore(pool: pool).beLenient()
    for place in 0..<5 { try await complain(33_199_000_240 + Int64(place) * 2, .oneRing, reporters: 0..<4) }
    let stores = Stores(pool: pool)
    _ = try await stores.ranges.detect(at: now)
    try await RangeService(stores: stores).decide(
      try await stores.ranges.rules(), isApproved: true, by: .commandLine("Ada"), reason: nil, at: now)
    try await withTemporaryFolder { path in
      _ = try await publisher(path).publish(at: now)
      let own = try #require(try PublicationFolder(path: path).serverID())
      let rows = try evidence("blocklist", path).rows
      // The others are listed by the rule alone.
      let single = rows.filter { $0.last == nil }
      #expect(single.map(\.number) == [240, 242, 244, 246, 248].map { 33_199_000_000 + $0 })
      #expect(single.allSatisfy { $0.origins == [own] && $0.lastDay == today })
      #expect(rows.filter { $0.last != nil }.map { [$0.number, $0.last] } == [[33_199_000_241, 33_199_000_249]])
      let pack = try #require(
        try PublicationFolder(path: path).manifest()?.manifest.packs.first { $0.name == "blocklist" })
      #expect(pack.entries == 10)
    }
  }

  @Test func `a recipe shares nothing by default`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      var recipes = Self.shared
      recipes[0].sharesEvidence = false
      let manifest = try await publisher(path, recipes).publish(at: now)
      #expect(manifest.packs.map { $0.formats.map(\.format) } == [["evidence"], []])
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/formats").count == 1)
      recipes[1].sharesEvidence = false
      let later = try await publisher(path, recipes).publish(at: now + 60)
      #expect(later.packs.allSatisfy { $0.formats.isEmpty })
      #expect(Recipe.shipped.allSatisfy { !$0.sharesEvidence })
    }
  }

  @Test func `names of a directory are not in the file`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let recipe = Recipe(
        name: "names", kind: .identification, limit: 1_000, source: .both, categories: [.fraud], formats: ["csv"],
        sharesEvidence: true)
      // A listed number of a category that the recipe excludes is in the pack by its name alone.
      let names = [DirectoryEntry(number: 33_199_000_001, name: "Bakery"), DirectoryEntry(number: five, name: "Shop")]
      let manifest = try await publisher(path, [recipe], names: names).publish(at: now)
      #expect(manifest.packs[0].formats.map(\.format) == ["csv", "evidence"])
      #expect(try numbers("\(path)/\(manifest.packs[0].path)").contains(five))
      #expect(try evidence("names", path).rows.map(\.number) == [few, many])
    }
  }

  @Test func `each shard has its own file`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let recipe = Recipe(
        name: "parts", kind: .blocking, limit: 1_000, shards: .hashed(2), keepsEmpty: true, sharesEvidence: true)
      let manifest = try await publisher(path, [recipe]).publish(at: now)
      #expect(manifest.packs.count == 2)
      let rows = try manifest.packs.map { pack in
        let rows = try evidence(pack.name, path).rows
        #expect(try rows.map(\.number) == numbers("\(path)/\(pack.path)"))
        return rows
      }
      #expect(rows.joined().map(\.number).sorted() == [few, five, many, blocked, onList])
    }
  }

  @Test func `the file stays while nothing changes and is new when a strength changes`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let first = try await publisher(path).publish(at: now)
      let second = try await publisher(path).publish(at: now + 60)
      #expect(second.packs == first.packs)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/formats").sorted()
          == ["blocklist-1.evidence.jsonl.gz", "toxic-1.evidence.jsonl.gz"])

      // The same numbers and labels: the packs stay.
      try await complain(few, reporters: 4..<5)
      let third = try await publisher(path).publish(at: now + 120)
      for name in ["toxic", "blocklist"] {
        #expect(third.packs.first { $0.name == name }?.path == "packs/\(name)-1.rfpack")
        #expect(try evidenceFile(third, name).path == "formats/\(name)-3.evidence.jsonl.gz")
        #expect(try evidence(name, path).rows.first { $0.number == few }?.strength == 5)
      }
      // Readers of the former manifest still find its file.
      let former = try evidenceFile(first, "toxic").path
      #expect(FileManager.default.fileExists(atPath: "\(path)/\(former)"))
      let fourth = try await publisher(path).publish(at: now + 180)
      #expect(try evidenceFile(fourth, "toxic") == evidenceFile(third, "toxic"))
    }
  }

  @Test func `the same data, time and serial give the same file`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      var files: [Data] = []
      for machine in ["\(path)/1", "\(path)/2"] {
        let manifest = try await publisher(machine).publish(PublicationRequest(time: now, serial: 1))
        let file = try evidenceFile(manifest, "toxic").path
        files.append(try Data(contentsOf: URL(filePath: "\(machine)/\(file)")))
        try await pool.withConnection { try await $0.execute(script: "TRUNCATE publications CASCADE") }
      }
      #expect(files[0] == files[1])
      // gzip without a name and without a time.
      #expect(files[0][3] == 0 && files[0][4..<8].allSatisfy { $0 == 0 })
    }
  }

  @Test func `a folder without its first root publishes without evidence`() async throws {
    try await fill()
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      #expect(try folder.serverID() == nil)
      _ = try await publisher(path).publish(at: now)
      let id = try #require(try folder.serverID())
      #expect(id.wholeMatch(of: /[0-9a-f]{16}/) != nil)
      #expect(try PackDigest.ofFile("\(path)/roots/1.root.json").hex.hasPrefix(id))
      let next = try #require(SigningKey(String(repeating: "08", count: 32)))
      _ = try folder.rotate(from: try #require(key), to: next, at: now)
      #expect(try folder.serverID() == id)

      let root = "\(path)/roots/1.root.json"
      try FileManager.default.removeItem(atPath: root)
      func publish(_ recipes: [Recipe]) async throws {
        _ = try await Publisher(
          store: store, folder: folder, recipes: recipes, signing: { next }, logger: .forTests
        ).publish(at: now + 60)
      }
      try await publish(Self.shared)
      #expect(try folder.manifest()?.manifest.packs.allSatisfy { $0.formats.isEmpty } == true)
      try await publish(Recipe.shipped.filter { $0.source == .reports })
    }
  }

  @Test func `a line is that of a JSON encoder`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for row in [
      ProvenanceRow(number: 7, category: "fraud", treatment: "block", strength: nil, lastDay: nil, origins: ["0a"]),
      ProvenanceRow(
        number: 999_999_999_999_999, category: "one_ring", treatment: "identify", strength: 1_000,
        lastDay: "2026-11-20", origins: ["00", "01"]),
    ] {
      let line = ProvenanceLine.line(row)
      #expect(try line == Array(encoder.encode(row)) + [0x0A])
      #expect(ProvenanceLine.number(line) == row.number)
      #expect(try ProvenanceLine.row(line) == row)
    }
    #expect(ProvenanceLine.number(Array("{}".utf8)) == nil)
    #expect(ProvenanceLine.header(Array(#"{"entries":1,"evidence":2,"server":"00112233aabbccdd"}"#.utf8)) == nil)
    #expect(ServerID("00112233AABBCCDD") == nil && ServerID("00112233aabbccdd")?.text == "00112233aabbccdd")
  }

  /// More rows than a block of the spool and a page of the database have.
  @Test func `many rows are read in pages`() async throws {
    try await ThresholdStore(pool: pool).beLenient()
    let count = ProvenanceCollector.page * 2 + 100
    let reports = (0..<count).map { place in
      Report(
        number: 33_199_000_000 + Int64(place) * 3, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud,
        reporter: [UInt8](repeating: UInt8(place % 200), count: 16), weight: 5)
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    try await withTemporaryFolder { path in
      let recipes = [
        Recipe(name: "blocklist", kind: .blocking, limit: 100_000, shards: .from([1, 331_620_1]), sharesEvidence: true)
      ]
      let manifest = try await publisher(path, recipes).publish(at: now)
      #expect(manifest.packs.reduce(0) { $0 + $1.entries } == count)
      for pack in manifest.packs { #expect(try evidence(pack.name, path).rows.count == pack.entries) }
      try await store.request(
        Revocation(number: reports[5_000].number, reason: "An appeal", requestedBy: "Ada", requestedAt: now))
      let second = try #require(try await publisher(path, recipes).publishRevocations(at: now + 5))
      let rows = try second.packs.flatMap { try evidence($0.name, path).rows }
      #expect(rows.count == count - 1 && !rows.contains { $0.number == reports[5_000].number })
    }
  }
}
