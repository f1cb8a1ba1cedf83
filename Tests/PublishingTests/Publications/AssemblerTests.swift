// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Publishing
import Testing

@Suite struct AssemblerTests {
  private let listed = [
    ListedNumber(number: 1_200, category: .fraud, heat: 9, evidence: 20),
    ListedNumber(number: 1_300, category: .survey, treatment: .identify, heat: 5, evidence: 9, identifications: 3),
    ListedNumber(number: 33_100, category: .robocall, heat: 7, evidence: 8, label: "Bailiff Ltd"),
  ]
  private let directory = [
    DirectoryEntry(number: 1_200, name: "Honest Bank", identifications: 50),
    DirectoryEntry(number: 1_250, name: "Café Zoé", identifications: 4),
    DirectoryEntry(number: 33_100, name: "Étude Martin"), DirectoryEntry(number: 49_300, name: "Bäckerei"),
  ]

  @Test func `reports override the directory and a decision overrides both`() async throws {
    let made = try await Assembly.run(
      [
        Recipe(name: "block", kind: .blocking, limit: 10),
        Recipe(name: "all", kind: .identification, limit: 10, source: .both),
        Recipe(name: "toxic", kind: .identification, limit: 10),
        Recipe(name: "names", kind: .identification, limit: 10, source: .directory),
      ], listed: listed, directory: directory)
    #expect(made.lines("block") == ["1200 -", "33100 -"])
    #expect(
      made.lines("all") == [
        "1200 Suspected fraud", "1250 Café Zoé", "1300 Survey", "33100 Bailiff Ltd", "49300 Bäckerei",
      ])
    #expect(made.lines("toxic") == ["1200 Suspected fraud", "1300 Survey", "33100 Bailiff Ltd"])
    #expect(made.lines("names").first == "1200 Honest Bank")
  }

  @Test func `a number that no pack blocks is listed to be identified`() async throws {
    let made = try await Assembly.run(
      [
        Recipe(name: "robots", kind: .blocking, limit: 10, categories: [.robocall], sharesEvidence: true),
        Recipe(name: "toxic", kind: .identification, limit: 10),
      ], listed: listed)
    #expect(made.placed.map(\.number) == [1_200, 1_300, 33_100])
    #expect(made.placed.map(\.treatment) == [.identify, .identify, .block])
    #expect(made.evident.map(\.number) == [33_100])
  }

  @Test func `a directory may name a number that the categories leave out`() async throws {
    let made = try await Assembly.run(
      [Recipe(name: "all", kind: .identification, limit: 10, source: .both, categories: [.survey])],
      listed: listed, directory: directory)
    #expect(made.lines("all").prefix(3) == ["1200 Honest Bank", "1250 Café Zoé", "1300 Survey"])
  }

  @Test func `a split makes a pack for each region that has numbers`() async throws {
    let made = try await Assembly.run(
      [Recipe(name: "directory-{region}", kind: .identification, limit: 9, source: .directory, area: .split)],
      directory: directory)
    #expect(made.packs.packs.map(\.spec.name) == ["directory-paris", "directory-us-2"])
    #expect(made.packs.packs.map(\.spec.region) == ["paris", "us-2"])
    #expect(made.packs.empty.map(\.name) == ["directory-fr", "directory-us"])
    #expect(made.lines("directory-us-2") == ["1200 Honest Bank", "1250 Café Zoé"])
  }

  @Test func `numbers of equal rank are cut from the greatest`() async throws {
    let same = (1...50).map { ListedNumber(number: $0, category: .other, heat: 3, evidence: 1) }
    let made = try await Assembly.run([Recipe(name: "block", kind: .blocking, limit: 20)], listed: same)
    #expect(made.entries["block"]?.map(\.number) == Array(1...20))
    #expect(made.packs.packs[0].candidates == 50)
  }

  @Test func `labels follow their template and are cut between characters`() async throws {
    let labels = RecipeLabels(
      language: "ru", listed: try LabelTemplate("{category} · {name} ({heat})"),
      directory: try LabelTemplate("☎ {name}"), maxBytes: 40)
    let made = try await Assembly.run(
      [Recipe(name: "all", kind: .identification, limit: 9, source: .both, labels: labels)], listed: listed,
      directory: directory + [DirectoryEntry(number: 50_000, name: String(repeating: "é", count: 30))])
    #expect(
      made.lines("all") == [
        "1200 Возможно мошенники · H", "1250 ☎ Café Zoé", "1300 Опрос (5)", "33100 Bailiff Ltd", "49300 ☎ Bäckerei",
        "50000 ☎ \(String(repeating: "é", count: 18))",
      ])
  }

  @Test func `an empty pack is written only if its recipe keeps empty packs`() async throws {
    let made = try await Assembly.run([
      Recipe(name: "none", kind: .blocking, limit: 9),
      Recipe(name: "bare", kind: .blocking, limit: 9, keepsEmpty: true),
    ])
    #expect(made.packs.packs.map(\.spec.name) == ["bare"])
    #expect(made.packs.packs[0].summary.entries == 0)
    #expect(made.packs.empty.map(\.name) == ["none"])
  }

  @Test func `numbers that do not ascend are refused`() async throws {
    let twice = [DirectoryEntry(number: 7, name: "a"), DirectoryEntry(number: 7, name: "b")]
    await #expect(throws: AssemblyError.notAscending(source: "directory", number: 7, after: 7)) {
      _ = try await Assembly.run(
        [Recipe(name: "names", kind: .identification, limit: 9, source: .directory)], directory: twice)
    }
  }

  @Test func `packs with the same name are refused`() async throws {
    let recipe = Recipe(name: "block", kind: .blocking, limit: 9)
    await #expect(throws: AssemblyError.sameName("block")) { _ = try await Assembly.run([recipe, recipe]) }
  }
}
