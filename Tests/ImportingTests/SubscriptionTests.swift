// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Intake
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@testable import Importing

/// Subscriptions to publications of other servers: what is accepted, what counts, and what is refused.
@Suite(.database) struct SubscriptionTests {
  let now = Date(timeIntervalSince1970: 1_795_000_000)
  static let own = String(repeating: "a", count: 16)
  static let third = String(repeating: "f", count: 16)
  static let numbers: [Int64] = [12_015_550_123, 12_015_550_124, 33_199_000_248]

  var stores: Stores { Stores(pool: TestDatabase.current.pool) }

  func refresher(_ stores: Stores, limits: SourceReadLimits = SourceReadLimits()) -> SourceRefresher {
    SourceRefresher(
      stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
      folder: NSTemporaryDirectory(), limits: limits, serverID: { Self.own })
  }

  func add(
    _ name: String, _ site: ProvenancePublication, to stores: Stores, ceiling: SourceCeiling = .review,
    change: (inout SourceOptions) -> Void = { _ in }
  ) async throws {
    var options = SourceOptions()
    (options.trustedKey, options.pack) = (site.key.verifying.base64, ProvenancePublication.pack)
    options.categories = SourceOptions.ringfenceCategories
    change(&options)
    let settings = Source.Settings(
      name: name, url: site.url, format: .ringfence, every: 30, options: options, ceiling: ceiling)
    let list = try await stores.apps.source(named: name, at: now)
    #expect(try await stores.sources.add(settings, as: list, by: .commandLine("Test"), at: now))
  }

  @discardableResult
  func refresh(
    _ name: String, _ stores: Stores, at time: Date, limits: SourceReadLimits = SourceReadLimits()
  ) async throws -> SourceRefresher.Outcome? {
    let refresher = refresher(stores, limits: limits)
    return try await refresher.withClient { try await refresher.refresh(name, by: $0, at: time) }
  }

  func entries(_ name: String, _ stores: Stores) async throws -> [SourceEntry] {
    let feed = try #require(try await stores.sources.source(named: name))
    return try await stores.sources.entries(of: feed.id, after: 0)
  }

  @Test func `rows become entries and revocations end them`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [ProvenanceRow] = [
        .test(Self.numbers[0], id), .test(Self.numbers[1], id, category: "newer"),
        .test(Self.numbers[2], id, category: "legitimate"),
      ]
      try site.publish(1, rows, at: now)
      try await add("c", site, to: stores)
      guard case .refreshed(let first)? = try await refresh("c", stores, at: now) else {
        Issue.record("It was refused.")
        return
      }
      #expect((first.entries, first.added, first.isUnchanged) == (2, 2, false))
      let stored = try await entries("c", stores)
      #expect(stored.map(\.category) == [.fraud, .other] && stored.allSatisfy { $0.origins == [id] })
      let feed = try #require(try await stores.sources.source(named: "c"))
      #expect(feed.state.serverID == id && feed.state.seen?.serial == 1 && feed.state.seen?.rootSerial == 1)

      // Another publication with the same file is not read again.
      try site.publish(2, rows, at: now + 60)
      guard case .refreshed(let second)? = try await refresh("c", stores, at: now + 60) else {
        Issue.record("It was refused.")
        return
      }
      #expect(second.isUnchanged && second.entries == 2)

      try site.publish(3, [.test(Self.numbers[1], id, Self.third)], at: now + 120)
      guard case .refreshed(let third)? = try await refresh("c", stores, at: now + 120) else {
        Issue.record("It was refused.")
        return
      }
      #expect((third.entries, third.removed) == (1, 1))
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
      #expect(try await entries("c", stores).map(\.origins) == [[id, Self.third].sorted()])
      #expect(try await stores.recount.recount(repairs: false).differences == 0)
    }
  }

  @Test func `rows of ranges become rules of the publisher alone`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      func range(_ first: Int64, _ last: Int64, _ origin: String, _ treatment: String = "block") -> ProvenanceRow {
        ProvenanceRow(number: first, last: last, category: "fraud", treatment: treatment, origins: [origin])
      }
      try site.publish(
        1,
        [
          .test(Self.numbers[2] - 248, id), range(33_199_000_000, 33_199_000_999, id),
          range(33_199_001_000, 33_199_001_499, id, "identify"), range(33_199_002_000, 33_199_002_999, Self.third),
          // Of no numbering plan.
          .test(34_600_000_000, id), range(999_000_000_000, 999_000_000_999, id),
        ], at: now)
      try await add("c", site, to: stores, ceiling: .identify)
      guard case .refreshed(let first)? = try await refresh("c", stores, at: now) else {
        Issue.record("It was refused.")
        return
      }
      #expect((first.entries, first.ranges, first.proposedRanges, first.rejected.count) == (2, 2, 0, 1))
      let rules = try await stores.ranges.rules()
      #expect(rules.map(\.range.text) == ["+33199000xxx", "+33199001000-+33199001499"])
      // The ceiling of the source.
      #expect(rules.map(\.treatment) == [.identify, .identify] && rules.allSatisfy { $0.category == .fraud })
      // The rules leave with the file.
      try site.publish(2, [.test(Self.numbers[2] - 248, id)], at: now + 60)
      _ = try await refresh("c", stores, at: now + 60)
      #expect(try await stores.ranges.rules().isEmpty)
    }
  }

  @Test func `strength, treatment and ceiling choose rows`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(
        1,
        [
          .test(Self.numbers[0], id, strength: nil), .test(Self.numbers[1], id, strength: 10),
          .test(Self.numbers[2], id, treatment: "identify", strength: 50),
        ], at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1], Self.numbers[2]])
      // A source cannot raise the treatment.
      #expect(try await stores.sources.change("c", to: .block, by: .commandLine("Test"), at: now))
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1]])
    }
  }

  @Test func `only numbers of the countries of the source are taken`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id), .test(Self.numbers[2], id)], at: now)
      try await add("c", site, to: stores) { $0.countries = ["US"] }
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0]])
    }
  }

  @Test func `a server is subscribed to once, and this one never`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id)], at: now)
      try await add("c", site, to: stores)
      try await add("again", site, to: stores)
      try await refresh("c", stores, at: now)
      #expect(try await refresh("again", stores, at: now) == .failed(.sameServer(server: id, source: "c")))
      #expect(try await entries("again", stores).isEmpty)
      let refresher = SourceRefresher(
        stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
        folder: NSTemporaryDirectory(), serverID: { id })
      #expect(
        try await refresher.withClient { try await refresher.refresh("again", by: $0, at: now) } == .failed(.ownServer))
    }
  }

  @Test func `publications of others, older and expired ones are refused`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [ProvenanceRow] = [.test(Self.numbers[0], id)]
      try site.publish(4, rows, at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let former = try await entries("c", stores)
      #expect(former.count == 1)

      func expectFailure(_ failure: SourceFailure.Code, at time: Date, _ location: SourceLocation = #_sourceLocation)
        async throws
      {
        guard case .failed(let found)? = try await refresh("c", stores, at: time) else {
          Issue.record("It was accepted.", sourceLocation: location)
          return
        }
        #expect(found.code == failure, sourceLocation: location)
        #expect(try await entries("c", stores) == former, sourceLocation: location)
        #expect(try await stores.sources.source(named: "c")?.state.seen?.serial == 4, sourceLocation: location)
      }
      let manifest = URL(filePath: site.folder.manifestPath)
      let good = try Data(contentsOf: manifest)

      // Signed by another key.
      site.signer = SigningKey()
      try site.publish(5, [], at: now + 60)
      try await expectFailure(.untrustedKey, at: now + 60)
      site.signer = nil
      // A signature under the id of the trusted key.
      var envelope = try Envelope(decoding: [UInt8](good), payloadType: Manifest.payloadType)
      envelope.signatures[0].signature = Data(repeating: 7, count: 64).base64EncodedString()
      try Data(envelope.encoded()).write(to: manifest)
      try await expectFailure(.wrongSignature, at: now + 60)
      // Rolled back, and replaced by a new one with the same serial.
      var older = ProvenancePublication("\(folder)/older")
      older.key = site.key
      for (serial, code) in [(3, SourceFailure.Code.olderPublication), (4, .olderPublication)] {
        try older.publish(Int64(serial), [], at: now + 60 + Double(serial))
        try FileManager.default.removeItem(at: manifest)
        try FileManager.default.copyItem(atPath: older.folder.manifestPath, toPath: manifest.path)
        for part in ["bins", "descriptions"] {
          for file in try FileManager.default.contentsOfDirectory(atPath: older.folder.filePath(part)) {
            try? FileManager.default.copyItem(
              atPath: older.folder.filePath("\(part)/\(file)"), toPath: site.folder.filePath("\(part)/\(file)"))
          }
        }
        try await expectFailure(code, at: now + 90)
      }
      // Expired: its entries are not renewed, and fade.
      try good.write(to: manifest)
      try await expectFailure(.expired, at: now + 8 * 86_400)
      let heat = Decay.heat.value(
        ofStoredSum: try await stores.numbers.standing(of: Self.numbers[0]).heat, at: now + 8 * 86_400)
      #expect(heat < 0.75)
      // A new publication ends all that.
      try site.publish(6, rows, at: now + 8 * 86_400)
      guard case .refreshed(let summary)? = try await refresh("c", stores, at: now + 8 * 86_400) else {
        Issue.record("It was refused.")
        return
      }
      #expect(summary.replaced == 1)
    }
  }

  @Test func `the keys of a new root are followed`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id)], at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let next = SigningKey()
      _ = try site.folder.rotate(from: site.key, to: next, at: now + 60)
      site.key = next
      try site.publish(2, [.test(Self.numbers[1], id)], at: now + 60)
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1]])
      #expect(try await stores.sources.source(named: "c")?.state.seen?.rootSerial == 2)
    }
  }

  /// Files of a publication whose signature is right.
  @Test func `wrong evidence files change nothing`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [ProvenanceRow] = Self.numbers.map { .test($0, id) }
      try site.publish(1, rows, at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let former = try await entries("c", stores)
      #expect(former.count == 3)
      let good = try site.lines(rows, at: now)
      func text(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }
      func changed(_ from: String, _ to: String, line: Int) -> [UInt8] {
        var lines = good
        lines[line] = lines[line].replacing(from, with: to)
        #expect(lines != good)
        return gzip(text(lines))
      }
      var serial: Int64 = 1
      func expectFailure(
        _ code: SourceFailure.Code, _ file: [UInt8]?, saying clause: String = "", sha256: String? = nil,
        limits: SourceReadLimits = SourceReadLimits(), _ location: SourceLocation = #_sourceLocation
      ) async throws {
        serial += 1
        try site.publish(serial, file: file, at: now + Double(serial), sha256: sha256)
        guard case .failed(let found)? = try await refresh("c", stores, at: now + Double(serial), limits: limits) else {
          Issue.record("It was accepted.", sourceLocation: location)
          return
        }
        let says = clause.isEmpty || "\(found.values)".contains(clause)
        #expect(found.code == code && says, "\(found)", sourceLocation: location)
        #expect(try await entries("c", stores) == former, sourceLocation: location)
      }
      try await expectFailure(.noEvidence, nil)
      try await expectFailure(.wrongDigest, gzip(text(good)), sha256: String(repeating: "0", count: 64))
      try await expectFailure(.unreadable, text(good), saying: "not compressed with gzip")
      try await expectFailure(.damagedFile, Array(gzip(text(good)).dropLast(6)))
      try await expectFailure(.unreadable, gzip(gzip(text(good))), saying: "compressed twice")
      // Zeros, which are compressed a thousandfold.
      var limits = SourceReadLimits()
      limits.expandedBytes = 1 << 20
      try await expectFailure(.expandsTooFar, gzip([UInt8](repeating: 0x20, count: 2 << 20)), limits: limits)
      limits = SourceReadLimits()
      limits.fileBytes = 50
      // Another file than the one that was read.
      let other = changed("fraud", "robocall", line: 1)
      try await expectFailure(.answerTooLong, other, limits: limits)
      limits = SourceReadLimits()
      limits.entries = 2
      try await expectFailure(.tooManyEntries, other, limits: limits)
      try await expectFailure(.unreadable, gzip([UInt8](repeating: 0x20, count: 50 << 20)), saying: "is longer than")
      try await expectFailure(
        .unreadable, gzip(text([good[0], String(repeating: "1", count: 50_000)])), saying: "is longer than")

      try await expectFailure(.unsupportedVersion, changed("\"evidence\":1", "\"evidence\":2", line: 0))
      try await expectFailure(.otherServer, changed(id, Self.third, line: 0))
      try await expectFailure(.unreadable, changed("\"entries\":3", "\"entries\":3,\"x\":1", line: 0), saying: "header")
      try await expectFailure(.unreadable, changed("\"entries\":3", "\"entries\":4", line: 0), saying: "header")
      try await expectFailure(.unreadable, changed("\"entries\":3", "\"entries\":2", line: 0), saying: "one more")
      try await expectFailure(.unreadable, changed("{", "{\"x\":1,", line: 2), saying: "not a row")
      try await expectFailure(.unreadable, changed("\"treatment\"", "\"treatments\"", line: 2), saying: "not a row")
      try await expectFailure(.unreadable, changed("\"block\"", "\"allow\"", line: 2), saying: "not allowed")
      try await expectFailure(.unreadable, changed("\"strength\":5", "\"strength\":6", line: 2), saying: "not allowed")
      try await expectFailure(.unreadable, changed(id, "../etc/passwd", line: 2), saying: "not allowed")
      try await expectFailure(.unreadable, gzip(text([good[0], good[2], good[1], good[3]])), saying: "ascending")
      try await expectFailure(.unreadable, gzip(text([good[0], good[1], good[1], good[3]])), saying: "ascending")
      try await expectFailure(.unreadable, gzip([UInt8]()), saying: "empty")
      try await expectFailure(.unreadable, gzip(Array("<html>".utf8)), saying: "header")
      // An empty file is valid, and withdraws everything.
      serial += 1
      try site.publish(serial, [], at: now + Double(serial))
      try await refresh("c", stores, at: now + Double(serial))
      #expect(try await entries("c", stores).isEmpty)
    }
  }

  @Test func `a publication without the pack is an empty list after a success`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publishNoPack(1, at: now)
      try await add("c", site, to: stores)
      #expect(try await refresh("c", stores, at: now) == .failed(.noPack(pack: ProvenancePublication.pack)))
      try site.publish(2, [.test(Self.numbers[0], id)], at: now + 60)
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).count == 1)
      try site.publishNoPack(3, at: now + 120)
      guard case .refreshed(let summary)? = try await refresh("c", stores, at: now + 120) else {
        Issue.record("It was refused.")
        return
      }
      #expect((summary.entries, summary.removed) == (0, 1))
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
      try site.publishNoPack(4, at: now + 180)
      guard case .refreshed(let again)? = try await refresh("c", stores, at: now + 180) else {
        Issue.record("It was refused.")
        return
      }
      #expect(again.isUnchanged)
    }
  }

  @Test func `the first refresh of a day stores that the list contains its numbers`() async throws {
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let many = (0..<20).map { Int64(33_199_000_000 + $0) }
      try site.publish(1, many.map { .test($0, id) }, at: now, lifetime: 30 * 86_400)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      // Unchanged files of the same day and of a later one. On the later one the file is read again.
      for (time, replaced) in [(now + 60, 0), (now + 8 * 86_400, 20), (now + 8 * 86_400 + 60, 0)] {
        guard case .refreshed(let summary)? = try await refresh("c", stores, at: time) else {
          Issue.record("It was refused.")
          return
        }
        #expect((summary.replaced, summary.entries) == (replaced, many.count))
      }
      #expect(try await stores.recount.recount(repairs: false).differences == 0)
      #expect(try await stores.numbers.standing(of: many[0]).reports == 1)
    }
  }

  @Test func `pauses are short while the server cannot be reached`() {
    let failures = [1, 2, 3, 50]
    #expect(failures.map { SourceRefresher.pause(after: $0, of: .ringfence) } == [30, 60, 120, 3_600])
    #expect(
      failures.map { SourceRefresher.pause(after: $0, of: .ringfence, because: .connectionFailed) } == [
        30, 60, 120, 120,
      ])
    #expect(SourceRefresher.pause(after: 3, of: .csv, because: .connectionFailed) == 1_200)
  }
}
