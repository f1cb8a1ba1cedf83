// SPDX-License-Identifier: Apache-2.0

import Curation
import Publishing
import TestSupport
import Testing

/// Compares random numbers and recipes with sorting everything in memory.
@Suite struct AssemblerPropertyTests {
  @Test(arguments: 0..<60) func `packs equal those made by sorting everything`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let listed = Self.listed(&random)
    let directory = Self.directory(&random)
    let recipes = (0..<Int.random(in: 1...4, using: &random)).map { Self.recipe($0, &random) }
    let made = try await Assembly.run(
      recipes, listed: listed, directory: directory, batch: Int.random(in: 1...50, using: &random))
    var names: [String] = []
    for recipe in recipes {
      let candidates = Self.candidates(recipe, listed, directory)
      for (name, part) in Self.parts(recipe, candidates) {
        let best = part.sorted { ($1.score, $0.number) < ($0.score, $1.number) }.prefix(recipe.limit)
        let expected = best.sorted { $0.number < $1.number }.map { "\($0.number) \($0.label ?? "-")" }
        #expect(made.lines(name) == expected, "\(name) \(recipe)")
        if !part.isEmpty { names.append(name) }
      }
    }
    #expect(made.packs.packs.map(\.spec.name).sorted() == names.sorted())
  }

  @Test func `a cut changes no pack or is refused`() async throws {
    var (kept, refused) = (0, 0)
    for seed in 100..<300 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let listed = Self.listed(&random)
      let directory = Self.directory(&random)
      let recipes = (0..<2).map { Self.recipe($0, &random) }
      let cut = SelectionCut(
        heat: Double(Int.random(in: 1...4, using: &random)),
        identifications: [1, 2, 3, .infinity].randomElement(using: &random) ?? 1)
      let above = listed.filter { $0.heat >= cut.heat || $0.identifications >= cut.identifications }
      guard above.count < listed.count else { continue }
      let whole = try await Assembly.run(recipes, listed: listed, directory: directory)
      do {
        let made = try await Assembly.run(recipes, listed: above, directory: directory, cut: cut)
        #expect(made.entries == whole.entries && made.placed == whole.placed, "\(seed)")
        kept += 1
      } catch AssemblyError.cutTooHigh {
        refused += 1
      }
    }
    #expect(kept > 10 && refused > 10, "\(kept) kept, \(refused) refused")
  }

  private struct Candidate {
    var number: Int64
    var score: Double
    var label: String?
  }

  private static func candidates(
    _ recipe: Recipe, _ listed: [ListedNumber], _ directory: [DirectoryEntry]
  ) -> [Candidate] {
    var found: [Int64: Candidate] = [:]
    if recipe.source != .reports, recipe.kind == .identification {
      for entry in directory where entry.identifications > 0 || !recipe.isIdentifiedOnly {
        found[entry.number] = Candidate(
          number: entry.number, score: recipe.ranking.identifications * entry.identifications,
          label: recipe.labels.cut(entry.name))
      }
    }
    if recipe.source != .directory {
      for item in listed where recipe.categories?.contains(item.category) ?? true {
        if recipe.kind == .blocking, item.treatment == .identify { continue }
        if recipe.isIdentifiedOnly { found[item.number] = nil }
        if recipe.isIdentifiedOnly, item.identifications == 0 { continue }
        let ranking = recipe.ranking
        let score =
          ranking.heat * item.heat + ranking.identifications * item.identifications + ranking.evidence * item.evidence
        let label = recipe.labels.cut(item.label ?? item.category.label(in: recipe.labels.language))
        found[item.number] = Candidate(
          number: item.number, score: score, label: recipe.kind == .blocking ? nil : label)
      }
    }
    return Array(found.values)
  }

  private static func parts(_ recipe: Recipe, _ candidates: [Candidate]) -> [(String, [Candidate])] {
    func region(_ number: Int64) -> String? {
      let text = String(number)
      return Assembly.regions.filter { text.hasPrefix(String($0.prefix)) }.max { $0.prefix < $1.prefix }?.region
    }
    var areas: [(name: String, candidates: [Candidate])] = [(recipe.name, candidates)]
    switch recipe.area {
    case .everywhere: break
    case .regions(let some):
      areas[0].candidates.removeAll { candidate in !(region(candidate.number).map(some.contains) ?? false) }
    case .split:
      areas = Assembly.regions.map { each in
        (
          recipe.name.replacing("{region}", with: each.region.lowercased()),
          candidates.filter { region($0.number) == each.region }
        )
      }
    }
    guard recipe.shards.count > 1 else { return areas }
    return areas.flatMap { area in
      (0..<recipe.shards.count).map { shard in
        ("\(area.name).\(shard + 1)", area.candidates.filter { recipe.shards.index(of: $0.number) == shard })
      }
    }
  }

  static func numbers(_ random: inout SeededGenerator) -> [Int64] {
    let count = [0, 1, 300].randomElement(using: &random) ?? 0
    let numbers = (0..<count).map { _ in Int64.random(in: 1...9_999, using: &random) }
    return Set(numbers + numbers.map { $0 % 7 + 33_000 }).sorted()
  }

  private static func listed(_ random: inout SeededGenerator) -> [ListedNumber] {
    numbers(&random).map { number in
      ListedNumber(
        number: number, category: ReportCategory.allCases.randomElement(using: &random) ?? .other,
        treatment: Bool.random(using: &random) ? .block : .identify,
        heat: Double(Int.random(in: 0...4, using: &random)),
        evidence: Double(Int.random(in: 0...9, using: &random)),
        identifications: Double(Int.random(in: 0...3, using: &random)),
        label: Int.random(in: 0...9, using: &random) == 0 ? "Named by hand \(number)" : nil)
    }
  }

  private static func directory(_ random: inout SeededGenerator) -> [DirectoryEntry] {
    numbers(&random).map { number in
      DirectoryEntry(
        number: number, name: ["Банк «Заря»", "Zoé's", "北京饭店", "A"].randomElement(using: &random) ?? "A",
        identifications: Double(Int.random(in: 0...3, using: &random)))
    }
  }

  static func recipe(_ index: Int, _ random: inout SeededGenerator) -> Recipe {
    let isSplit = Int.random(in: 0...2, using: &random) == 0
    let shards = [Shards.one, .one, .hashed(3), .from([1, 3, 50])].randomElement(using: &random) ?? .one
    return Recipe(
      name: isSplit ? "r\(index)-{region}" : "r\(index)",
      kind: Recipe.Kind.allCases.randomElement(using: &random) ?? .blocking,
      limit: [1, 10, 100, 5_000].randomElement(using: &random) ?? 1,
      source: Recipe.Source.allCases.randomElement(using: &random) ?? .both,
      ranking: [Ranking.heat, .identifications, Ranking(heat: 1, identifications: 0.5, evidence: 0.25)]
        .randomElement(using: &random) ?? .heat,
      categories: Bool.random(using: &random) ? nil : [.fraud, .survey, .robocall, .other, .silent, .legitimate],
      area: isSplit ? .split : [.everywhere, .regions(["US", "paris"])].randomElement(using: &random) ?? .everywhere,
      labels: RecipeLabels(language: "ru", maxBytes: [4, 20, 192].randomElement(using: &random) ?? 192),
      shards: shards, isIdentifiedOnly: Int.random(in: 0...3, using: &random) == 0)
  }
}
