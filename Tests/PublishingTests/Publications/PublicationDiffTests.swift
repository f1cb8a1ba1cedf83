// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Moderation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@Suite(.database) struct PublicationDiffTests {
  private func complain(_ numbers: [Int64], _ category: ReportCategory, daysAgo: Double = 0, reporters: Int = 8)
    async throws
  {
    let reports = numbers.flatMap { number in
      (0..<reporters).map { index in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: now - daysAgo * 86_400, category: category,
          reporter: [UInt8](repeating: UInt8(index), count: 16))
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
  }

  @Test func `the publication diff shows decisions made between two publications`() async throws {
    let numbers = (0..<60).map { 33_199_000_000 + Int64($0) * 7 }
    try await ThresholdStore(pool: pool).beLenient()
    try await complain(Array(numbers[..<40]), .fraud)
    let key = try #require(SigningKey(String(repeating: "07", count: 32)))
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let publisher = Publisher(
        store: PublicationStore(pool: pool), folder: folder, recipes: Recipe.shipped.filter { $0.source == .reports },
        signing: { key },
        protection: { _ in
          let protected = try await ProtectionStore(pool: pool).load()
          return ProtectionLookup { protected.rule(for: $0)?.operatorText }
        }, logger: .forTests)
      _ = try await publisher.publish(at: now)

      // One number is allowed, one gets a name, one is protected, and new ones are added.
      let decisions = DecisionService(pool: pool)
      _ = try await decisions.record(
        try Decision(number: numbers[3], treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: now + 60))
      _ = try await decisions.record(
        try Decision(
          number: numbers[4], treatment: .identify, label: "A shop", reason: "It is one.", decidedBy: "Ada",
          decidedAt: now + 60))
      try await ProtectionStore(pool: pool).add([(.number(numbers[5]), "A bank")], by: "Ada", at: now + 60)
      try await complain(Array(numbers[40...]), .robocall)
      _ = try await publisher.publish(at: now + 3_600)

      let diff = PublicationDiff(folder: folder)
      let publications = diff.publications()
      #expect(publications.map(\.serial) == [2, 1])
      let totals = try await diff.totals(from: publications[1], to: publications[0], pack: "toxic")
      #expect(totals.entered == 20 && totals.left == 2 && totals.relabelled == 1 && totals.kept == 37)
      var found: [PublicationChange] = []
      while true {
        let page = try await diff.changes(
          from: publications[1], to: publications[0], pack: "toxic", kinds: Set(PublicationChange.Kind.allCases),
          behind: found.last?.number ?? 0, limit: 4)
        found += page.changes
        if !page.hasMore { break }
      }
      #expect(found.map(\.number) == [numbers[3], numbers[4], numbers[5]] + numbers[40...])
      #expect(found.prefix(3).map(\.kind) == [.left, .relabelled, .left])
      #expect(found[1].after?.label == "A shop")
      let facts = try await PublicationChangeStore(pool: pool).facts(
        of: found.map(\.number), from: .init(serial: 1, asOf: now), to: .init(serial: 2, asOf: now + 3_600))
      let reasons = found.map { facts[$0.number]?.reason(hasLeft: $0.kind == .left) }
      let protected = ChangeReason.protected(.protectedNumber(reason: "A bank"))
      #expect(reasons.prefix(4) == [.decision(.allow), .decision(.identify), protected, .reports])
      // Two equal publications have no changes.
      #expect(
        try await diff.changes(
          from: publications[0], to: publications[0], pack: "toxic", kinds: [.entered], behind: 0, limit: 4
        ).changes.isEmpty)
      #expect(try await diff.totals(from: publications[0], to: publications[1], pack: "none") == ChangeTotals())
    }
  }
}
