// SPDX-License-Identifier: Apache-2.0

import Curation
import Testing

/// Evidence counts once, however many servers pass it on.
@Suite struct ProvenanceOriginsTests {
  private let rule = ProvenanceOrigins(own: "a", publisher: "c", subscribed: ["c", "d"])

  @Test(
    arguments: [
      // The publisher has evidence of its own, alone or with others.
      (["c"], [], true),
      (["a", "c"], [], true),
      (["c", "e"], ["e"], true),
      (["c"], ["c"], true),
      // It passes on the evidence of others.
      (["e"], [], true),
      (["a", "e"], [], true),
      // Only of this server, of one that is subscribed to, or of one that another source has brought.
      (["a"], [], false),
      (["d"], [], false),
      (["a", "d"], [], false),
      (["e"], ["e"], false),
      (["a", "d", "e"], ["e"], false),
      (["e", "f"], ["e"], true),
      ([], [], false),
    ] as [([String], Set<String>, Bool)])
  func `rows count once`(origins: [String], known: Set<String>, counts: Bool) {
    #expect(rule.counts(origins, hops: origins.contains("c") ? 0 : 1, known: known) == counts)
  }

  @Test func `a server without a publication has no id`() {
    let rule = ProvenanceOrigins(own: nil, publisher: "c", subscribed: ["c"])
    #expect(rule.counts(["e"], hops: 1, known: []))
    #expect(rule.counts(["c"], hops: 0, known: []))
  }

  /// Servers that pass evidence on to each other would confirm each other for ever.
  @Test func `evidence is passed on by three servers at most`() {
    #expect((1...5).map { rule.counts(["e"], hops: $0, known: []) } == [true, true, true, false, false])
    #expect(rule.counts(["c", "e"], hops: 9, known: []))
  }

  @Test func `strengths are steps`() {
    #expect([4, 5, 9, 10, 5_000].map { ProvenanceRow.strength(ofReporters: $0) } == [nil, 5, 5, 10, 1_000])
    #expect(SourceOptions.usualStrength == 5)
  }
}
