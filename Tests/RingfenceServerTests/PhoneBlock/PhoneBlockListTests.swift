// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import HTTPTypes
import PackFormats
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@testable import API
@testable import HTTPServer

/// The block lists of PhoneBlock's clients during publications and other requests.
@Suite(.database) struct PhoneBlockListTests {
  private typealias Fixture = PhoneBlockFixture

  private static let numbers: [Int64] = [12_015_550_123, 33_199_000_248, 33_199_000_300, 33_199_000_301]

  private static func list(_ listed: [Int64] = numbers) async throws {
    try await Fixture.list(listed.map { Listing(number: $0, category: .fraud, cause: .reports) })
  }

  @Test func `the hottest numbers are read once for many requests, and the earlier ones are served meanwhile`()
    async throws
  {
    try await Self.list()
    for (place, number) in Self.numbers.enumerated() {
      try await Fixture.weigh(number, evidence: place == 3 ? 30 : 12, heat: Double(place + 1))
    }
    let hottest = HottestCallers(
      callers: CallerStore(pool: Fixture.pool), publications: PublicationStore(pool: Fixture.pool), region: nil)
    let first = try await hottest.list(serial: 0)
    #expect(first.callers.map(\.number) == Self.numbers.reversed())
    func header(_ minDirect: Int) -> [UInt8] {
      Array(first.binary(.init(minDirect: minDirect, minRange: nil, maxBytes: nil))[8..<12])
    }
    #expect(header(4) == [4, 0, 0, 0] && header(20) == [1, 0, 0, 0])
    // The database has no listings of this publication yet.
    #expect(try await hottest.list(serial: 812).serial == 0)
    try await Fixture.record(812)
    try await Fixture.pool.transaction { connection in
      _ = try await connection.execute("LOCK TABLE listings IN ACCESS EXCLUSIVE MODE")
      try await withThrowingTaskGroup(of: Int64.self) { group in
        for _ in 0..<20 { group.addTask { try await hottest.list(serial: 812).serial } }
        for try await serial in group { #expect(serial == 0) }
      }
      let waiting = try await connection.query(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
      #expect(try waiting.first?.decode(0, as: Int64.self) == 1)
    }
    let last = try await Deadlines.$factor.withValue(60) { try await hottest.list(serial: 812) }
    #expect(last.serial == 812)
  }

  @Test func `protected numbers and victims of spoofing are in no list`() async throws {
    try await Self.list()
    let now = Fixture.now
    try await ProtectionStore(pool: Fixture.pool).add(
      [(.pattern(try ProtectedPattern("+3319900030x")), "A hospital")], by: "Test", at: now)
    let reports = (0..<12).map { index in
      Report(
        number: Self.numbers[1], appID: 1, reportID: UUID(), reportedAt: now - 86_400, category: .fraud,
        reporter: [UInt8(index)] + [UInt8](repeating: 9, count: 15))
    }
    _ = try await ReportStore(pool: Fixture.pool).accept(reports, receivedAt: now - 86_400)
    try await AppealStore(pool: Fixture.pool).file(
      Appeal(number: Self.numbers[1], statement: "It was not me.", filedAt: now - 60))
    let callers = CallerStore(pool: Fixture.pool)
    #expect(try await callers.hottest(prefix: "", at: now).map(\.number) == [Self.numbers[0]])
    #expect(try await callers.hottest(prefix: "33", at: now).isEmpty)
    // A protection that is removed has an effect at once.
    _ = try await ProtectionStore(pool: Fixture.pool).remove(
      .pattern(try ProtectedPattern("+3319900030x")), by: .commandLine("Ada"), at: Date())
    #expect(try await callers.hottest(prefix: "33", at: now).map(\.number) == [Self.numbers[2], Self.numbers[3]])
  }

  @Test func `no list is made before the database has the listings of the publication`() async throws {
    try await Self.list(Array(Self.numbers.prefix(2)))
    try await TestServer.run { server in
      try await Fixture.publish(812, Self.numbers, in: server.folder, isRecorded: false)
      for path in ["/blocklist", "/blocklist?limit=5", "/blocklist?format=binary"] {
        let early = try await server.phoneBlock(path)
        #expect(early.status == 503 && early.headers[.retryAfter] != nil, "\(path)")
      }
      // Two of the numbers are not among the listings of the database: no file with other figures is kept.
      try await Fixture.record(812)
      #expect(try await server.phoneBlock("/blocklist").status == 503)
      let files = try FileManager.default.contentsOfDirectory(atPath: server.folder.filePath(".lists/1"))
      #expect(files.isEmpty)
      try await Self.list()
      let full = try await server.phoneBlock("/blocklist")
      #expect(full.status == 200 && full.text.contains("33199000301") && full.text.contains("G_FRAUD"))
      #expect(try await server.phoneBlock("/blocklist?limit=5").status == 200)

      // The pack stays the same while another has more numbers.
      let (short, long) = (Array(Self.numbers.prefix(2)), Self.numbers)
      try await Fixture.publish(
        813, [("a", nil, nil, short), ("blocklist", nil, nil, long), ("0-us", "us", nil, short)], in: server.folder)
      let fixed = try await server.phoneBlock("/blocklist")
      #expect(fixed.text.contains("33199000248") && !fixed.text.contains("33199000300"))
      // The version is one of another pack.
      let other = try await server.phoneBlock("/blocklist?since=812")
      #expect(other.text == fixed.text)
      #expect(try await server.phoneBlock("/blocklist?since=813").text == #"{"numbers":[],"version":813}"#)
      try await Fixture.publish(
        814, [("blocklist.1", nil, 1, short), ("blocklist.2", nil, 2, long)], in: server.folder)
      let parts = try await server.phoneBlock("/blocklist")
      #expect(parts.status == 404 && parts.text.hasPrefix("The server has no list for all regions in one part"))
      #expect(try await server.phoneBlock("/blocklist?format=binary").status == 200)
    }
  }

  @Test func `the complete list has the numbers that a rule lists by their range alone`() async throws {
    let range = RangePattern(around: 12_015_550_123, size: 10)
    try await Self.list(Array(Self.numbers.prefix(1)))
    try await Fixture.list(range)
    let ranged = Array(range.blocks[0]).filter { !Self.numbers.contains($0) }
    try await TestServer.run { server in
      try await Fixture.publish(812, (ranged + [Self.numbers[0]]).sorted(), in: server.folder)
      let full = try await server.phoneBlock("/blocklist")
      #expect(full.status == 200 && ranged.allSatisfy { full.text.contains("\($0)") })
      #expect(full.text.contains("B_MISSED"))
      #expect(try await server.phoneBlock("/blocklist?since=3").status == 200)
    }
  }

  @Test func `a list that waits for the database does not delay those of other programs`() async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      try await Fixture.publish(812, Self.numbers, in: folder)
      let manifest = try #require(try folder.manifest()).manifest
      let lists = ListFiles(folder: folder)
      let (gate, open) = AsyncStream<Void>.makeStream()
      async let slow = lists.phoneBlockList(
        of: manifest.packs[0], isXML: false, since: nil, isCompressed: false, in: manifest
      ) { numbers in
        for await _ in gate {}
        return Dictionary(
          uniqueKeysWithValues: numbers.map { ($0, PhoneBlockFigures(votes: 10, rating: "G_FRAUD", lastActivity: 0)) })
      }
      let file = try await withDeadline(.seconds(30)) {
        try await lists.file(.init(pack: manifest.packs[0], format: .csv), of: manifest) { [] }
      }
      #expect(FileManager.default.fileExists(atPath: file))
      open.finish()
      #expect(FileManager.default.fileExists(atPath: try await slow))
    }
  }
}
