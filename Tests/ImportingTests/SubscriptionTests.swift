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
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private static let own = String(repeating: "a", count: 16)
  private static let third = String(repeating: "f", count: 16)
  private static let numbers: [Int64] = [12_015_550_123, 12_015_550_124, 33_162_000_248]

  private var stores: Stores { Stores(pool: TestDatabase.current.pool) }

  private func refresher(_ stores: Stores, limits: FeedLimits = FeedLimits()) -> FeedRefresher {
    FeedRefresher(
      stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
      folder: NSTemporaryDirectory(), limits: limits, serverID: { Self.own })
  }

  private func add(
    _ name: String, _ site: EvidencePublication, to stores: Stores, ceiling: SourceCeiling = .review,
    change: (inout FeedOptions) -> Void = { _ in }
  ) async throws {
    var options = FeedOptions()
    (options.trustedKey, options.pack) = (site.key.verifying.base64, EvidencePublication.pack)
    options.categories = FeedOptions.ringfenceCategories
    change(&options)
    let settings = SourceFeed.Settings(
      name: name, url: site.url, format: .ringfence, every: 30, options: options, ceiling: ceiling)
    let list = try await stores.apps.source(named: name, at: now)
    let event = Actor.commandLine("Test").did("source.add", to: name)
    #expect(try await stores.feeds.add(settings, as: list, at: now, audit: event))
  }

  @discardableResult
  private func refresh(
    _ name: String, _ stores: Stores, at time: Date, limits: FeedLimits = FeedLimits()
  ) async throws -> FeedRefresher.Outcome? {
    let refresher = refresher(stores, limits: limits)
    return try await refresher.withClient { try await refresher.refresh(name, by: $0, at: time) }
  }

  private func entries(_ name: String, _ stores: Stores) async throws -> [SourceEntry] {
    let feed = try #require(try await stores.feeds.feed(named: name))
    return try await stores.feeds.entries(of: feed.id, after: 0)
  }

  @Test func `rows become entries and revocations end them`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [EvidenceRow] = [
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
      let feed = try #require(try await stores.feeds.feed(named: "c"))
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

  @Test func `strength, treatment and ceiling choose rows`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
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
      let event = Actor.commandLine("Test").did("source.ceiling", to: "c")
      #expect(try await stores.feeds.change("c", to: .block, at: now, audit: event))
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1]])
    }
  }

  @Test func `evidence counts once`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var (c, d) = (EvidencePublication("\(folder)/c"), EvidencePublication("\(folder)/d"))
      let (cID, dID) = (try c.id(at: now), try d.id(at: now))
      // That of this server comes back, and that of a third server comes over both.
      try c.publish(
        1, [.test(Self.numbers[0], Self.own), .test(Self.numbers[1], Self.third), .test(Self.numbers[2], dID)], at: now)
      try d.publish(1, [.test(Self.numbers[1], Self.third), .test(Self.numbers[2], dID, Self.own)], at: now)
      try await add("c", c, to: stores)
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1], Self.numbers[2]])
      try await add("d", d, to: stores)
      try await refresh("d", stores, at: now + 60)
      #expect(try await entries("d", stores).map(\.number) == [Self.numbers[2]])
      // The server of d is subscribed to now.
      try await refresh("c", stores, at: now + 90)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1]])
      #expect(try await stores.numbers.standing(of: Self.numbers[1]).reports == 1)
      #expect(try await stores.numbers.standing(of: Self.numbers[2]).reports == 1)

      // Without d its evidence counts over c again.
      let event = Actor.commandLine("Test").did("source.remove", to: "d")
      #expect(try await refresher(stores).remove("d", at: now, audit: event))
      try await refresh("c", stores, at: now + 3_600)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1], Self.numbers[2]])
      #expect(try await stores.numbers.standing(of: Self.numbers[2]).reports == 1)
      try c.publish(2, [.test(Self.numbers[1], Self.third), .test(Self.numbers[2], dID, cID)], at: now + 90_000)
      try await refresh("c", stores, at: now + 90_000)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1], Self.numbers[2]])
    }
  }

  /// A refresh that was killed after it had replaced a report, and before it had stored the entry.
  @Test func `a withdrawal after an interrupted refresh leaves no report`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [EvidenceRow] = [.test(Self.numbers[0], id), .test(Self.numbers[1], id), .test(Self.numbers[2], id)]
      try site.publish(1, rows, at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let feed = try #require(try await stores.feeds.feed(named: "c"))
      try await stores.feeds.beginChanges(of: feed)
      let former = try await entries("c", stores).prefix(2).map {
        SourceEntry(number: $0.number, category: .survey, reportedAt: SourceEntry.withoutReport, origins: [id])
      }
      try await stores.feeds.store(former, of: feed.id)
      try site.publish(2, Array(rows[1...]), at: now + 60)
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.number) == Array(Self.numbers[1...]))
      var reports: [Int64] = []
      for number in Self.numbers { reports.append(try await stores.numbers.standing(of: number).reports) }
      #expect(reports == [0, 1, 1])
      #expect(try await stores.reports.reportsWithoutEntry(of: feed.id).isEmpty)
    }
  }

  /// A refresh that is killed before it has revoked their numbers is repeated by the entries.
  @Test func `numbers of reports without an entry get one before the reports are withdrawn`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id), .test(Self.numbers[1], id)], at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let feed = try #require(try await stores.feeds.feed(named: "c"))
      try await stores.feeds.forget(Self.numbers, of: feed.id)
      var content = FeedContent()
      content.entries = [.init(number: Self.numbers[1], category: .fraud, origins: [id])]
      try await refresher(stores).withdrawLeft(of: feed.id, before: content, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0]])
      #expect(try await entries("c", stores).map(\.reportedAt) == [SourceEntry.withoutReport])
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
      // That of a number which is still on the list stays.
      #expect(try await stores.numbers.standing(of: Self.numbers[1]).reports == 1)
      try site.publish(2, [.test(Self.numbers[1], id)], at: now + 60)
      try await stores.feeds.readAgain(feed)
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1]])
      #expect(try await stores.numbers.standing(of: Self.numbers[1]).reports == 1)
    }
  }

  @Test func `only numbers of the countries of the source are taken`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id), .test(Self.numbers[2], id)], at: now)
      try await add("c", site, to: stores) { $0.countries = ["US"] }
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0]])
    }
  }

  /// Otherwise two servers that are subscribed to each other would keep what has left its origin.
  @Test func `evidence that came over too many servers does not count`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(
        1,
        [
          .test(Self.numbers[0], Self.third, hops: 3), .test(Self.numbers[1], Self.third, hops: 4),
          .test(Self.numbers[2], id, Self.third, hops: 9),
        ], at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0], Self.numbers[2]])
      #expect(try await entries("c", stores).map(\.hops) == [3, 0])
      // A row without the count is one that its publisher has passed on. Each publication may change the count.
      try site.publish(
        2, [.test(Self.numbers[0], Self.third), .test(Self.numbers[1], Self.third, hops: 2)], at: now + 60)
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.hops) == [1, 2])
      try site.publish(
        3, [.test(Self.numbers[0], Self.third, hops: 4), .test(Self.numbers[1], Self.third, hops: 2)], at: now + 120)
      try await refresh("c", stores, at: now + 120)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1]])
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
    }
  }

  /// A subscription that is added again must not cost the numbers that came over another server meanwhile.
  @Test func `a new subscription displaces entries of others once it has its own`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var (c, d) = (EvidencePublication("\(folder)/c"), EvidencePublication("\(folder)/d"))
      let dID = try d.id(at: now)
      _ = try c.id(at: now)
      try c.publish(1, [.test(Self.numbers[0], dID)], at: now)
      try d.publish(1, [.test(Self.numbers[0], dID)], at: now)
      try await add("d", d, to: stores)
      try await refresh("d", stores, at: now)
      let event = Actor.commandLine("Test").did("source.remove", to: "d")
      #expect(try await refresher(stores).remove("d", at: now, audit: event))
      try await add("c", c, to: stores)
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).count == 1)

      // Its server is known, and its entries are not stored yet.
      try await add("d", d, to: stores)
      let feed = try #require(try await stores.feeds.feed(named: "d"))
      try await stores.feeds.assign(dID, to: feed)
      let other = try #require(try await stores.feeds.feed(named: "c"))
      try await stores.feeds.readAgain(other)
      try await refresh("c", stores, at: now + 30)
      #expect(try await entries("c", stores).count == 1)

      // It is added again on the same day and counts at once.
      try await refresh("d", stores, at: now + 60)
      #expect(try await entries("d", stores).count == 1)
      try await refresh("c", stores, at: now + 90)
      #expect(try await entries("c", stores).isEmpty)
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 1)
    }
  }

  @Test func `of two entries that were stored at once the one of the later source ends`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var (c, d) = (EvidencePublication("\(folder)/c"), EvidencePublication("\(folder)/d"))
      let ids = [try c.id(at: now), try d.id(at: now)]
      let rows: [EvidenceRow] = [.test(Self.numbers[0], Self.third)]
      try await add("c", c, to: stores)
      try await add("d", d, to: stores)
      for (name, id) in zip(["c", "d"], ids) {
        let feed = try #require(try await stores.feeds.feed(named: name))
        try await stores.feeds.assign(id, to: feed)
        try await stores.feeds.store(
          [SourceEntry(number: Self.numbers[0], category: .fraud, reportedAt: now, origins: [Self.third])], of: feed.id)
      }
      for (serial, time) in [(1, now), (2, now + 86_500)] {
        try c.publish(Int64(serial), rows, at: time)
        try d.publish(Int64(serial), rows, at: time)
        try await refresh("c", stores, at: time)
        try await refresh("d", stores, at: time)
        #expect(try await entries("c", stores).count == 1)
        #expect(try await entries("d", stores).isEmpty)
      }
    }
  }

  @Test func `a server is subscribed to once, and this one never`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id)], at: now)
      try await add("c", site, to: stores)
      try await add("again", site, to: stores)
      try await refresh("c", stores, at: now)
      #expect(try await refresh("again", stores, at: now) == .failed(.sameServer(id, source: "c")))
      #expect(try await entries("again", stores).isEmpty)
      let refresher = FeedRefresher(
        stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
        folder: NSTemporaryDirectory(), serverID: { id })
      #expect(
        try await refresher.withClient { try await refresher.refresh("again", by: $0, at: now) } == .failed(.ownServer))
    }
  }

  @Test func `publications of others, older and expired ones are refused`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [EvidenceRow] = [.test(Self.numbers[0], id)]
      try site.publish(4, rows, at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let former = try await entries("c", stores)
      #expect(former.count == 1)

      func expectFailure(_ failure: FeedFailure.Code, at time: Date, _ location: SourceLocation = #_sourceLocation)
        async throws
      {
        guard case .failed(let found)? = try await refresh("c", stores, at: time) else {
          Issue.record("It was accepted.", sourceLocation: location)
          return
        }
        #expect(found.code == failure, sourceLocation: location)
        #expect(try await entries("c", stores) == former, sourceLocation: location)
        #expect(try await stores.feeds.feed(named: "c")?.state.seen?.serial == 4, sourceLocation: location)
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
      // Rolled back, and replaced by another one with the same serial.
      var older = EvidencePublication("\(folder)/older")
      older.key = site.key
      for (serial, code) in [(3, FeedFailure.Code.olderPublication), (4, .olderPublication)] {
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
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
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
      #expect(try await stores.feeds.feed(named: "c")?.state.seen?.rootSerial == 2)
    }
  }

  @Test func `an earlier publication is not stored over a later one`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      let site = EvidencePublication("\(folder)/c")
      try await add("c", site, to: stores)
      let feed = try #require(try await stores.feeds.feed(named: "c"))
      let digest = String(repeating: "0", count: 64)
      let later = SourceFeed.SeenPublication(serial: 9, sha256: digest, rootSerial: 2, root: [1])
      #expect(try await stores.feeds.accept(later, of: feed))
      #expect(try await stores.feeds.accept(later, of: feed))
      var earlier = later
      earlier.serial = 8
      #expect(try await !stores.feeds.accept(earlier, of: feed))
      (earlier.serial, earlier.rootSerial) = (10, 1)
      #expect(try await !stores.feeds.accept(earlier, of: feed))
      #expect(try await stores.feeds.feed(named: "c")?.state.seen == later)
      // A process that was suspended with the earlier one reads the file again.
      var state = feed.state
      (state.seen, state.listSHA256) = (earlier, digest)
      await #expect(throws: FeedFailure.superseded) { try await stores.feeds.succeed(feed, with: state, next: now) }
      #expect(try await stores.feeds.feed(named: "c")?.state.listSHA256 == nil)
    }
  }

  @Test func `an earlier file that comes back after an interrupted refresh is read`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [EvidenceRow] = Self.numbers.map { .test($0, id) }
      try site.publish(1, rows, at: now - 86_400)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now - 86_400)
      // A refresh withdraws a report, deletes another entry, and is killed.
      let feed = try #require(try await stores.feeds.feed(named: "c"))
      try await stores.feeds.beginChanges(of: feed)
      let former = try await entries("c", stores)
      try await stores.reports.withdraw(Array(former[..<2]), of: feed.id, at: now)
      try await stores.feeds.forget([Self.numbers[1]], of: feed.id)
      #expect(try await entries("c", stores).map(\.reportedAt) == [SourceEntry.withoutReport, former[2].reportedAt])
      try site.publish(2, rows, at: now)
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).count == 3)
      for number in Self.numbers { #expect(try await stores.numbers.standing(of: number).reports == 1) }
      #expect(try await stores.recount.recount(repairs: false).differences == 0)
    }
  }

  @Test func `an invalidation during a refresh stays`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      let site = EvidencePublication("\(folder)/c")
      try await add("c", site, to: stores)
      let feed = try #require(try await stores.feeds.feed(named: "c"))
      var state = feed.state
      state.listSHA256 = String(repeating: "0", count: 64)
      try await stores.feeds.readAgain(feed)
      try await stores.feeds.succeed(feed, with: state, next: now)
      #expect(try await stores.feeds.feed(named: "c")?.state.listSHA256 == nil)
    }
  }

  /// Files of a publication whose signature is right.
  @Test func `wrong evidence files change nothing`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [EvidenceRow] = Self.numbers.map { .test($0, id) }
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
        _ code: FeedFailure.Code, _ file: [UInt8]?, saying clause: String = "", sha256: String? = nil,
        limits: FeedLimits = FeedLimits(), _ location: SourceLocation = #_sourceLocation
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
      var limits = FeedLimits()
      limits.expandedBytes = 1 << 20
      try await expectFailure(.expandsTooFar, gzip([UInt8](repeating: 0x20, count: 2 << 20)), limits: limits)
      limits = FeedLimits()
      limits.fileBytes = 50
      // Another file than the one that was read.
      let other = changed("fraud", "robocall", line: 1)
      try await expectFailure(.answerTooLong, other, limits: limits)
      limits = FeedLimits()
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

  @Test func `numbers that a refresh leaves without support are revoked`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      let many = (0..<4).map { Int64(33_162_000_000 + $0) }
      try site.publish(1, many.map { .test($0, id) }, at: now)
      try await add("c", site, to: stores, ceiling: .block)
      try await refresh("c", stores, at: now)
      // The last publication lists three, one of them by a decision; another one has a decision by now.
      try await TestDatabase.current.pool.transaction { connection in
        try await PublicationStore.replaceListings(
          with: [
            Listing(number: many[0], category: .fraud, cause: .reports),
            Listing(number: many[1], category: .fraud, cause: .decision),
            Listing(number: many[2], category: .fraud, cause: .reports),
          ], serial: 1, at: now, on: connection)
      }
      let decision = try Decision(
        number: many[2], treatment: .block, reason: "Ours", decidedBy: "Ada", decidedAt: now)
      _ = try await stores.decisions.record(decision, role: .administrator)
      try site.publish(2, [], at: now + 60)
      try await refresh("c", stores, at: now + 60)
      let open = try await stores.publications.openRevocations()
      #expect(open.map(\.number) == [many[0]] && open.map(\.action) == [.unlist])
      #expect(open.first?.reason.contains("c no longer") == true)
    }
  }

  @Test func `numbers of a publication in progress are revoked too`() async throws {
    let stores = stores
    let (pool, numbers) = (TestDatabase.current.pool, (0..<3).map { Int64(33_162_000_000 + $0) })
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: [Listing(number: numbers[0], category: .fraud, cause: .reports)], serial: 1, at: now, on: connection)
    }
    #expect(try await stores.publications.revokeUnsupported(numbers, because: "c", at: now) == 1)
    _ = try #require(try await stores.publications.claim(2, cause: .command, asOf: now))
    #expect(try await stores.publications.revokeUnsupported(numbers, because: "c", at: now) == 3)
    #expect(Set(try await stores.publications.openRevocations().map(\.number)) == Set(numbers))
  }

  @Test func `a number with support to be identified leaves the packs that block it`() async throws {
    let stores = stores
    let number = Self.numbers[0]
    let settings = SourceFeed.Settings(
      name: "names", url: "https://a.example/list", format: .csv, every: 3_600, ceiling: .identify)
    let actor = Actor.commandLine("Test")
    #expect(try await FeedSubscriptions(stores: stores).add(settings, weight: 10, by: actor, at: now))
    let feed = try #require(try await stores.feeds.feed(named: "names"))
    var content = FeedContent()
    content.entries = [.init(number: number, category: .fraud)]
    _ = try await refresher(stores).store(content, isComplete: true, of: feed, at: now)
    try await TestDatabase.current.pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: [Listing(number: number, category: .fraud, cause: .reports)], serial: 1, at: now, on: connection)
    }
    #expect(try await stores.publications.revokeUnsupported([number], because: "c", at: now) == 1)
    let event = actor.did("source.ceiling", to: "names")
    #expect(try await stores.feeds.change("names", to: .block, at: now, audit: event))
    #expect(try await stores.publications.revokeUnsupported([number], because: "c", at: now) == 0)
  }

  @Test func `invented origins do not displace what other servers pass on`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var (c, d) = (EvidencePublication("\(folder)/c"), EvidencePublication("\(folder)/d"))
      let (cID, _) = (try c.id(at: now), try d.id(at: now))
      // The first names itself and a third server, or only the third one.
      try c.publish(1, [.test(Self.numbers[0], cID, Self.third), .test(Self.numbers[1], Self.third)], at: now)
      try d.publish(1, [.test(Self.numbers[0], Self.third), .test(Self.numbers[1], Self.third)], at: now)
      try await add("c", c, to: stores)
      try await refresh("c", stores, at: now)
      try await add("d", d, to: stores)
      try await refresh("d", stores, at: now + 60)
      #expect(try await entries("d", stores).map(\.number) == [Self.numbers[0]])
      // A source with a lower ceiling displaces nothing, and its entries end instead.
      let event = Actor.commandLine("Test").did("source.ceiling", to: "d")
      #expect(try await stores.feeds.change("d", to: .identify, at: now, audit: event))
      try await refresh("d", stores, at: now + 120)
      #expect(try await entries("d", stores).map(\.number) == [Self.numbers[0], Self.numbers[1]])
      try await refresh("c", stores, at: now + 150)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0]])
    }
  }

  @Test func `a publication without the pack is an empty list after a success`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publishNoPack(1, at: now)
      try await add("c", site, to: stores)
      #expect(try await refresh("c", stores, at: now) == .failed(.noPack(EvidencePublication.pack)))
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

  @Test func `some old reports are replaced by each refresh`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      let many = (0..<FeedRefresher.renewals + 20).map { Int64(33_162_000_000 + $0) }
      let rows: [EvidenceRow] = many.map { .test($0, id) }
      try site.publish(1, rows, at: now, lifetime: 30 * 86_400)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let later = now + 8 * 86_400
      // The file is read again after a day, and the third refresh finds nothing old.
      for (place, replaced) in [FeedRefresher.renewals, 20, 0].enumerated() {
        let time = later + Double(place) * 60
        guard case .refreshed(let summary)? = try await refresh("c", stores, at: time) else {
          Issue.record("It was refused.")
          return
        }
        #expect((summary.replaced, summary.entries, summary.isPartial) == (replaced, many.count, place == 0))
      }
      #expect(try await stores.recount.recount(repairs: false).differences == 0)
      #expect(try await stores.numbers.standing(of: many[0]).reports == 1)
    }
  }

  @Test func `reports that an interrupted refresh left without an entry are withdrawn`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id)], at: now)
      try await add("c", site, to: stores)
      let feed = try #require(try await stores.feeds.feed(named: "c"))
      for (number, time) in [(Self.numbers[0], now), (Self.numbers[1], now), (Self.numbers[2], now - 86_400)] {
        let day = FeedMerge.day(of: time)
        let entry = SourceEntry(number: number, category: .fraud, reportedAt: day)
        _ = try await stores.reports.accept(
          [
            Report(
              number: number, appID: feed.id, reportID: entry.reportID(of: feed.id), reportedAt: day, category: .fraud,
              reporter: nil)
          ], receivedAt: now)
      }
      try await refresh("c", stores, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0]])
      var reports: [Int64] = []
      for number in Self.numbers { reports.append(try await stores.numbers.standing(of: number).reports) }
      #expect(reports == [1, 0, 0])
    }
  }

  @Test func `a server without its first root takes no evidence that others pass on`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = EvidencePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id), .test(Self.numbers[1], Self.third)], at: now)
      try await add("c", site, to: stores)
      let refresher = FeedRefresher(
        stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
        folder: NSTemporaryDirectory(), serverID: { throw PublishingError.badRoot("roots/1.root.json") })
      _ = try await refresher.withClient { try await refresher.refresh("c", by: $0, at: now) }
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0]])
    }
  }

  @Test func `pauses are short while the server cannot be reached`() {
    let failures = [1, 2, 3, 50]
    #expect(failures.map { FeedRefresher.pause(after: $0, of: .ringfence) } == [30, 60, 120, 3_600])
    #expect(
      failures.map { FeedRefresher.pause(after: $0, of: .ringfence, because: .connectionFailed) } == [30, 60, 120, 120])
    #expect(FeedRefresher.pause(after: 3, of: .csv, because: .connectionFailed) == 1_200)
  }

  @Test func `more revocations than a refresh may make wait for the next publication`() async throws {
    let stores = stores
    let numbers = (0...PublicationStore.mostUnsupported).map { Int64(33_162_000_000 + $0) }
    try await TestDatabase.current.pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: numbers.map { Listing(number: $0, category: .fraud, cause: .reports) }, serial: 1, at: now,
        on: connection)
    }
    #expect(try await stores.publications.revokeUnsupported(numbers, because: "c", at: now) == nil)
    #expect(try await stores.publications.openRevocations().isEmpty)
    #expect(try await stores.publications.revokeUnsupported(Array(numbers.dropLast()), because: "c", at: now) == 500)
    #expect(try await stores.publications.openRevocations().count == 500)
  }
}
