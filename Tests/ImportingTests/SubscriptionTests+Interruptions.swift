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

/// Refreshes that are interrupted, or overtaken by others.
extension SubscriptionTests {
  /// A refresh that was killed after it had replaced a report, and before it had stored the entry.
  @Test func `a withdrawal after an interrupted refresh leaves no report`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [ProvenanceRow] = [.test(Self.numbers[0], id), .test(Self.numbers[1], id), .test(Self.numbers[2], id)]
      try site.publish(1, rows, at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let source = try #require(try await stores.sources.source(named: "c"))
      try await stores.sources.beginChanges(of: source)
      let former = try await entries("c", stores).prefix(2).map {
        SourceEntry(number: $0.number, category: .survey, reportedAt: SourceEntry.withoutReport, origins: [id])
      }
      try await stores.sources.store(former, of: source.id)
      try site.publish(2, Array(rows[1...]), at: now + 60)
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.number) == Array(Self.numbers[1...]))
      var reports: [Int64] = []
      for number in Self.numbers { reports.append(try await stores.numbers.standing(of: number).reports) }
      #expect(reports == [0, 1, 1])
      #expect(try await stores.reports.reportsWithoutEntry(of: source.id).isEmpty)
    }
  }

  /// A refresh that is killed before it has revoked their numbers is repeated by the entries.
  @Test func `numbers of reports without an entry get one before the reports are withdrawn`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id), .test(Self.numbers[1], id)], at: now)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now)
      let source = try #require(try await stores.sources.source(named: "c"))
      try await stores.sources.forget(Self.numbers, of: source.id)
      var content = SourceContent()
      content.entries = [.init(number: Self.numbers[1], category: .fraud, origins: [id])]
      try await refresher(stores).withdrawLeft(of: source.id, before: content, at: now)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[0]])
      #expect(try await entries("c", stores).map(\.reportedAt) == [SourceEntry.withoutReport])
      #expect(try await stores.numbers.standing(of: Self.numbers[0]).reports == 0)
      // That of a number which is still on the list stays.
      #expect(try await stores.numbers.standing(of: Self.numbers[1]).reports == 1)
      try site.publish(2, [.test(Self.numbers[1], id)], at: now + 60)
      try await stores.sources.readAgain(source)
      try await refresh("c", stores, at: now + 60)
      #expect(try await entries("c", stores).map(\.number) == [Self.numbers[1]])
      #expect(try await stores.numbers.standing(of: Self.numbers[1]).reports == 1)
    }
  }

  @Test func `an earlier publication is not stored over a later one`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      let site = ProvenancePublication("\(folder)/c")
      try await add("c", site, to: stores)
      let source = try #require(try await stores.sources.source(named: "c"))
      let digest = String(repeating: "0", count: 64)
      let later = Source.SeenPublication(serial: 9, sha256: digest, rootSerial: 2, root: [1])
      #expect(try await stores.sources.accept(later, of: source))
      #expect(try await stores.sources.accept(later, of: source))
      var earlier = later
      earlier.serial = 8
      #expect(try await !stores.sources.accept(earlier, of: source))
      (earlier.serial, earlier.rootSerial) = (10, 1)
      #expect(try await !stores.sources.accept(earlier, of: source))
      #expect(try await stores.sources.source(named: "c")?.state.seen == later)
      // A process that was suspended with the earlier one reads the file again.
      var state = source.state
      (state.seen, state.listSHA256) = (earlier, digest)
      await #expect(throws: SourceFailure.superseded) {
        try await stores.sources.succeed(source, with: state, next: now)
      }
      #expect(try await stores.sources.source(named: "c")?.state.listSHA256 == nil)
    }
  }

  @Test func `an earlier file that comes back after an interrupted refresh is read`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      let rows: [ProvenanceRow] = Self.numbers.map { .test($0, id) }
      try site.publish(1, rows, at: now - 86_400)
      try await add("c", site, to: stores)
      try await refresh("c", stores, at: now - 86_400)
      // A refresh withdraws a report, deletes another entry, and is killed.
      let source = try #require(try await stores.sources.source(named: "c"))
      try await stores.sources.beginChanges(of: source)
      let former = try await entries("c", stores)
      try await stores.reports.withdraw(Array(former[..<2]), of: source.id, at: now)
      try await stores.sources.forget([Self.numbers[1]], of: source.id)
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
      let site = ProvenancePublication("\(folder)/c")
      try await add("c", site, to: stores)
      let source = try #require(try await stores.sources.source(named: "c"))
      var state = source.state
      state.listSHA256 = String(repeating: "0", count: 64)
      try await stores.sources.readAgain(source)
      try await stores.sources.succeed(source, with: state, next: now)
      #expect(try await stores.sources.source(named: "c")?.state.listSHA256 == nil)
    }
  }

  @Test func `reports that an interrupted refresh left without an entry are withdrawn`() async throws {
    let stores = stores
    try await withTemporaryFolder { folder in
      var site = ProvenancePublication("\(folder)/c")
      let id = try site.id(at: now)
      try site.publish(1, [.test(Self.numbers[0], id)], at: now)
      try await add("c", site, to: stores)
      let source = try #require(try await stores.sources.source(named: "c"))
      for (number, time) in [(Self.numbers[0], now), (Self.numbers[1], now), (Self.numbers[2], now - 86_400)] {
        let day = SourceMerge.day(of: time)
        let entry = SourceEntry(number: number, category: .fraud, reportedAt: day)
        _ = try await stores.reports.accept(
          [
            Report(
              number: number, appID: source.id, reportID: entry.reportID(of: source.id), reportedAt: day,
              category: .fraud,
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
}
