// SPDX-License-Identifier: Apache-2.0

import Curation
import Testing

@Suite struct RecipeTests {
  @Test func `hashed shards are balanced and stable`() {
    let shards = Shards.hashed(3)
    var counts = [0, 0, 0]
    for number: Int64 in 33_199_000_000..<33_199_030_000 { counts[shards.index(of: number)] += 1 }
    #expect(counts.allSatisfy { (9_700...10_300).contains($0) }, "\(counts)")
    // Must never change: readers have shards of earlier publications.
    #expect((1...12).map { shards.index(of: $0) } == Self.shardsOfTheFirstTwelve)
  }

  static let shardsOfTheFirstTwelve = [1, 1, 0, 1, 1, 2, 1, 1, 2, 0, 0, 1]

  @Test func `prefix shards follow the digits from the left`() {
    let shards = Shards.from([1, 33, 7])
    for (number, shard) in [
      (1, 0), (12_025_550_100, 0), (32_999, 0), (33, 1), (33_199_000_248, 1), (69, 1), (7, 2), (99, 2),
    ]
      as [(Int64, Int)]
    {
      #expect(shards.index(of: number) == shard, "\(number)")
    }
  }

  @Test func `label templates omit empty fields`() throws {
    let template = try LabelTemplate("{category} · {name}")
    #expect(template.filled { $0 == .category ? "Survey" : "Zoé" } == "Survey · Zoé")
    #expect(template.filled { $0 == .category ? "Survey" : nil } == "Survey")
    #expect(template.filled { $0 == .name ? "Zoé" : nil } == "Zoé")
    #expect(try LabelTemplate("Spam").filled { _ in nil } == "Spam")
  }

  @Test(arguments: ["", "{", "}", "a } b", "{names}", "{category} {", "a\u{7}b"])
  func `an invalid label template is refused`(_ text: String) {
    #expect(throws: LabelTemplate.Problem.self) { try LabelTemplate(text) }
  }

  @Test func `figures are rounded to two digits`() {
    #expect(
      [0, 0.4, 7.4, 42, 99, 129, 1_251, .nan].map(LabelTemplate.figure) == [
        "0", "0", "7", "42", "99", "130", "1300", "0",
      ])
  }

  @Test func `labels are cut between characters`() {
    let labels = RecipeLabels(maxBytes: 9)
    #expect(labels.cut("Zoé's café") == "Zoé's ca")
    #expect(labels.cut("👩‍👩‍👧 and more") == "👩\u{200D}")
    #expect(labels.cut("a👩‍👩‍👧") == "a")
    #expect(labels.cut("北京饭店") == "北京饭")
  }

  @Test func `every language has a unique name for each category`() {
    for language in RecipeLabels.languages {
      let names = ReportCategory.allCases.map { $0.label(in: language) }
      #expect(Set(names).count == names.count)
      #expect(names.allSatisfy { (1...60).contains($0.utf8.count) })
    }
  }
}
