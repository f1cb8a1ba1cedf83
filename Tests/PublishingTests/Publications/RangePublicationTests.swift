// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Publishing

/// Rules for ranges in publications: the packs, the listings, the gates.
@Suite(.database) struct RangePublicationTests {
  private var stores: Stores { Stores(pool: pool) }
  private var service: RangeService { RangeService(stores: stores) }
  private let key = SigningKey(String(repeating: "07", count: 32))

  private static let recipes = [
    Recipe(name: "names", kind: .identification, limit: 15_000, keepsEmpty: true),
    Recipe(name: "blocklist", kind: .blocking, limit: Recipe.maxEntries, keepsEmpty: true),
    Recipe(name: "singles", kind: .blocking, limit: 1_000, keepsEmpty: true, ranges: 0),
    Recipe(name: "parts", kind: .blocking, limit: 30_000, shards: .from([1, 33_199_000_5])),
  ]

  private func publisher(_ path: String, _ names: [DirectoryEntry] = []) -> Publisher {
    Publisher(
      store: stores.publications, folder: PublicationFolder(path: path), recipes: Self.recipes,
      sources: ContentSources(directory: { _, _, body in try await body(names) }),
      signing: { [key] in try #require(key) },
      protection: {
        let protected = try await ProtectionStore.load(on: $0)
        return ProtectionLookup({ protected.rule(for: $0)?.json }, first: { protected.first(in: $0)?.number })
      }, logger: .forTests)
  }

  private func add(_ ranges: [String], _ treatment: Decision.Treatment = .block, label: String? = nil) async throws {
    let rules = try ranges.map { range in
      try RangeRule(
        RangePattern(range, plan: .current), treatment: treatment, category: .telemarketing, label: label,
        reason: "The regulator gave the prefix to telemarketers.", proposedBy: "Ada", at: now)
    }
    let saved = try await service.add(rules, by: .commandLine("Ada"), at: now)
    #expect(saved.allSatisfy { $0.state == .approved })
  }

  private func numbers(_ pack: String, _ path: String) throws -> [Int64] {
    let manifest = try #require(try PublicationFolder(path: path).manifest()?.manifest)
    let file = try #require(manifest.packs.first { $0.name == pack }).path
    let reader = try PackReader.open(path: "\(path)/\(file)")
    try reader.verify()
    var numbers: [Int64] = []
    try reader.forEachRange { range, _, _ in numbers += Array(range) }
    let cursor = try reader.makeCursor()
    var walked: [Int64] = []
    while try cursor.next() { walked.append(cursor.number) }
    #expect(numbers == walked)
    return numbers
  }

  @Test func `rules fill packs without protected, decided and named numbers`() async throws {
    let hospital: Int64 = 33_199_000_500
    try await stores.protection.add([(.number(hospital), "A hospital")], by: "Ada", at: now)
    try await stores.protection.add(
      [(.pattern(try ProtectedPattern("+331990007xx")), "A ministry")], by: "Ada", at: now)
    let decisions = DecisionService(pool: pool)
    for (number, treatment) in [(33_199_000_001, .allow), (33_199_000_002, .identify)] as [(Int64, Decision.Treatment)]
    {
      _ = try await decisions.record(
        Decision(
          number: number, treatment: treatment, label: treatment == .allow ? nil : "A shop", reason: "A shop.",
          decidedBy: "Ada", decidedAt: now))
    }
    try await add(["+3319900*", "+33270123xxx", "+33199009000-+33199009999"])
    try await add(["+331990019xx"], .allow)
    try await add(["+3337712xxxx"], .identify, label: "Survey")
    let names = [DirectoryEntry(number: 33_199_000_003, name: "A bakery", identifications: 0)]
    try await withTemporaryFolder { path in
      let manifest = try await publisher(path, names).publish(at: now)
      // An expansion of its own.
      var expected = Set((33_199_000_000...33_199_009_999 as ClosedRange<Int64>))
      for gone in [33_199_000_001, 33_199_000_002, 33_199_000_003, hospital] as [Int64] { expected.remove(gone) }
      expected.subtract(33_199_000_700...33_199_000_799)
      expected.subtract(33_199_001_900...33_199_001_999)
      expected.formUnion(33_270_123_000...33_270_123_999)
      #expect(try numbers("blocklist", path) == expected.sorted())
      #expect(try numbers("singles", path) == [])
      #expect(
        try numbers("parts.1", path) + numbers("parts.2", path) == expected.sorted()
          && numbers("parts.1", path).last == 33_199_000_499)
      // The pack for names holds 15,000: the identified range of 10,000 numbers does not fit after the others.
      #expect(try Set(numbers("names", path)) == expected.union([33_199_000_002]))
      #expect(manifest.packs.first { $0.name == "blocklist" }?.bytes ?? .max < 2_000)
      let notes = try #require(
        try await stores.publications.history(limit: 1).first?.gates.filter(\.hasRulesWithoutRoom))
      #expect(notes.map(\.pack) == ["names"] && notes.allSatisfy(\.passed))
      #expect(
        notes.first?.finding
          == .rulesWithoutRoom(
            entries: expected.count + 1, maximum: 15_000, rules: 1, numbers: 10_000, range: "+3337712xxxx"))

      // The changes of a further rule, without saving it.
      let preview = RangePreview(store: stores.publications, folder: PublicationFolder(path: path))
      let further = try RangeRule(
        RangePattern("+33377111xxx", plan: .current), reason: "A campaign.", validFrom: now, proposedBy: "Ada", at: now)
      let smaller = try RangeRule(
        RangePattern("+3319900*", plan: .current), treatment: .allow, reason: nil, proposedBy: "Ada", at: now)
      let changes = try await preview.changes(by: [further, smaller], recipes: Self.recipes, at: now)
      // The rule with fewer numbers stays.
      let left = expected.count - 2_000
      #expect(
        changes == [
          .init(pack: "names", added: 11_000, removed: left),
          .init(pack: "blocklist", added: 1_000, removed: left), .init(pack: "parts.1", added: 0, removed: 497),
          .init(pack: "parts.2", added: 1_000, removed: left - 497),
        ])

      // Lookups agree with the packs.
      let lookups = stores.lookups
      for number in [33_199_000_000, 33_199_000_499, 33_199_000_501, 33_199_009_999, 33_270_123_999] as [Int64] {
        let listed = try #require(try await lookups.listed(number: number), "\(number)")
        #expect(listed.mayBlock && listed.category == .telemarketing)
      }
      for number in [
        33_161_999_999, 33_199_000_001, 33_199_000_003, hospital, 33_199_000_750, 33_199_001_950, 33_199_010_000,
        33_377_120_000,
      ] as [Int64] {
        #expect(try await lookups.listed(number: number) == nil, "\(number)")
        #expect(try await stores.callers.state(of: number, for: [], at: now).state.isListed == false)
      }
      let explanation = try await stores.explanations.explain(33_199_000_000, at: now)
      #expect(explanation.range?.range.text == "+3319900*" && explanation.listing?.treatment == .block)
      #expect(explanation.lines.contains(.rangeReason("The regulator gave the prefix to telemarketers.")))
      #expect(explanation.mayBlock)
      #expect(try await stores.explanations.explain(hospital, at: now).listing == nil)

      // A number that is protected afterwards leaves with the next revocation, and its range is divided.
      try await stores.protection.add([(.number(33_199_000_600), "A school")], by: "Ada", at: now)
      try await stores.publications.request(
        Revocation(number: 33_199_000_601, action: .unlist, reason: "An error.", requestedBy: "Ada", requestedAt: now))
      #expect(try await publisher(path, names).publishRevocations(at: now + 60) != nil)
      #expect(
        try numbers("blocklist", path) == expected.subtracting([33_199_000_600, 33_199_000_601]).sorted())
      #expect(try await lookups.listed(number: 33_199_000_601) == nil)
      #expect(try await lookups.listed(number: 33_199_000_602) != nil)
    }
  }

  @Test func `gates count rules beside numbers`() async throws {
    try await withTemporaryFolder { path in
      _ = try await publisher(path).publish(at: now)
      // Thousands of numbers at once are no churn: moderators approved the rule.
      try await add(["+3319900*", "+3319901*", "+3319902*"])
      _ = try await publisher(path).publish(at: now + 60)
      let before = try numbers("blocklist", path)
      #expect(before.count == 30_000)
      let rules = try await stores.ranges.rules()
      #expect(try await service.remove([rules[1]], by: .commandLine("Ada"), reason: nil, at: now + 70) == 1)
      let manifest = try await publisher(path).publish(at: now + 120)
      #expect(try numbers("blocklist", path).count == 20_000)
      #expect(manifest.packs.first { $0.name == "blocklist" }?.bytes ?? .max < 1_000)
      #expect(try await stores.lookups.listed(number: 33_199_010_000) == nil)
      // The last rules end: an empty list for a reason.
      _ = try await service.remove(try await stores.ranges.rules(), by: .commandLine("Ada"), reason: nil, at: now + 130)
      _ = try await publisher(path).publish(at: now + 180)
      #expect(try numbers("blocklist", path).isEmpty)
    }
  }

  @Test func `rules that block more than a million numbers need another account`() async throws {
    let wide = try ["+33199*", "+33163*"].map {
      try RangeRule(RangePattern($0, plan: .current), reason: "A regulator.", proposedBy: "Ada", at: now)
    }
    #expect(try await service.preview(wide).needsApproval)
    #expect(try await service.preview([wide[0]]).counts.numbers == 1_000_000)
    let saved = try await service.add(wide, by: .commandLine("Ada"), at: now)
    #expect(saved.map(\.state) == [.proposed, .proposed])
    for part in [saved, [saved[0]]] {
      await #expect(throws: RuleViolation(.ownProposal, field: "by")) {
        try await service.decide(part, isApproved: true, by: .commandLine("Ada"), reason: nil, at: now)
      }
    }
    try await service.decide(saved, isApproved: true, by: .commandLine("Bob"), reason: "Checked.", at: now)
    #expect(try await stores.ranges.rules(.approved).map(\.range.text) == ["+33163*", "+33199*"])
    // Nor in small steps.
    for (index, range) in ["+33270*", "+33271*"].enumerated() {
      let rule = try RangeRule(RangePattern(range, plan: .current), reason: "A regulator.", proposedBy: "Ada", at: now)
      #expect(
        try await service.add([rule], by: .commandLine("Ada"), at: now)[0].state == [.approved, .proposed][index])
    }
    let found = try await stores.ranges.rules(containing: 33_199_123_456)
    #expect(found.map(\.range.text) == ["+33199*"] && found[0].decidedBy == "Bob" && found[0].reason == "Checked.")
  }

  @Test func `a rule is in force between its times`() async throws {
    let rule = try RangeRule(
      RangePattern("+3319900*", plan: .current), reason: "A campaign.", validFrom: now + 100, validUntil: now + 200,
      proposedBy: "Ada", at: now)
    _ = try await service.add([rule], by: .commandLine("Ada"), at: now)
    try await withTemporaryFolder { path in
      for (seconds, count) in [(0, 0), (150, 10_000), (250, 0)] as [(Double, Int)] {
        _ = try await publisher(path).publish(at: now + seconds)
        #expect(try numbers("blocklist", path).count == count)
      }
    }
  }
}

extension CallerState {
  fileprivate var isListed: Bool { if case .listed(let caller) = self { !caller.isAllowed } else { false } }
}
