// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Publishing
import TestSupport
import Testing

/// Consecutive publications with and without a cut. The numbers listed by one are evaluated with the leaving threshold
/// in the next.
@Suite struct SelectionCutTests {
  /// Counts that show that the test covers its cases.
  private struct Counts {
    var cut = 0
    var readAgain = 0
    /// Listed only because the previous publication listed them.
    var held = 0
    /// Over their threshold, but without room in a pack.
    var withoutRoom = 0
  }

  @Test func `a cut changes neither packs nor listings`() async throws {
    var counts = Counts()
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: 7_000 + seed)
      var world = try World(&random)
      let recipes = (0..<2).map { Self.recipe($0, &random) }
      for night in 0..<3 {
        world.pass(night, &random)
        let cut = world.cut(&random)
        let whole = try await world.publish(recipes, cut: nil)
        var made = whole
        if let cut, let above = try? await world.publish(recipes, cut: cut) {
          made = above
          counts.cut += 1
        } else {
          counts.readAgain += 1
        }
        #expect(made.entries == whole.entries, "seed \(seed), night \(night)")
        #expect(made.placed.map(Place.init) == whole.placed.map(Place.init), "seed \(seed), night \(night)")
        counts.held += whole.placed.count { world.isHeldByHysteresis($0) }
        counts.withoutRoom += whole.packs.listed - whole.placed.count
        world.listed = Dictionary(
          uniqueKeysWithValues: made.placed.filter { $0.cause == .reports }.map { ($0.number, $0.treatment) })
      }
    }
    #expect(counts.cut > 30 && counts.readAgain > 50, "\(counts)")
    #expect(counts.held > 50 && counts.withoutRoom > 1_000, "\(counts)")
  }

  /// Mostly a recipe for which a cut is useful.
  private static func recipe(_ index: Int, _ random: inout SeededGenerator) -> Recipe {
    var recipe = AssemblerPropertyTests.recipe(index, &random)
    guard Int.random(in: 0..<6, using: &random) > 0 else { return recipe }
    recipe.ranking = Int.random(in: 0..<4, using: &random) == 0 ? .identifications : .heat
    recipe.limit = [5, 20, 60].randomElement(using: &random) ?? 5
    recipe.name = "r\(index)"
    recipe.area = .everywhere
    return recipe
  }

  /// A number without room in a pack is not listed because a directory names it.
  @Test func `a number named only by a directory is not listed`() async throws {
    let listed = (1...3).map { number in
      ListedNumber(number: Int64(number), category: .fraud, heat: Double(number), evidence: 1)
    }
    let made = try await Assembly.run(
      [
        Recipe(name: "calls", kind: .blocking, limit: 1),
        Recipe(name: "names", kind: .identification, limit: 10, source: .directory),
      ],
      listed: listed, directory: [DirectoryEntry(number: 1, name: "A", identifications: 1)])
    #expect(made.lines("names") == ["1 A"])
    #expect(made.placed.map(\.number) == [3])
  }

  /// The stored fields of a listed number.
  private struct Place: Equatable {
    let number: Int64
    let category: ReportCategory
    let cause: ListedNumber.Cause
    let treatment: ListedNumber.Treatment

    init(_ listed: ListedNumber) {
      (number, category) = (listed.number, listed.category)
      (cause, treatment) = (listed.cause, listed.treatment)
    }
  }
}

/// Numbers with new complaints before each publication, with decisions, victims of spoofing, ranges and a directory.
private struct World {
  private var records: [NumberRecord]
  /// Index of the record by number.
  private let places: [Int64: Int]
  private var state = CurationState()
  private let thresholds: ThresholdSet
  private let names: [Int64]
  private let selection = Selection { number in ["US", "FR", nil][Int(number % 3)] }
  private(set) var time = Date(timeIntervalSince1970: 1_795_000_000)
  /// The last publication's numbers that are listed because of reports.
  var listed: [Int64: ListedNumber.Treatment] = [:]

  init(_ random: inout SeededGenerator) throws {
    let now = time
    thresholds = try ThresholdSet.random(countries: ["US", "FR"], using: &random)
    records = AssemblerPropertyTests.numbers(&random).map { number in
      var record = NumberRecord.random(number: number, at: now, using: &random)
      record.identifications = Decay.heat.storedSum(of: Double(Int.random(in: 0...3, using: &random)), at: now)
      return record
    }
    places = Dictionary(uniqueKeysWithValues: records.indices.map { [records] in (records[$0].number, $0) })
    names = AssemblerPropertyTests.numbers(&random) + records.map(\.number).filter { $0 % 4 == 0 }
    for record in records {
      switch record.number % 23 {
      case 0...2:
        state.decisions.append(
          StandingDecision(
            number: record.number, treatment: [.allow, .block, .identify][Int(record.number % 23)],
            label: record.number % 2 == 0 ? "By hand" : nil, category: record.number % 3 == 0 ? .survey : nil,
            decisionID: UUID(), decidedAt: now))
      case 3: state.victims.insert(record.number)
      case 4: state.held.insert(record.number)
      default: break
      }
    }
    state.rules = [
      RangeRule(
        stored: RangePattern(around: 4_440, size: 10), category: .survey, state: .approved, proposedAt: time)
    ]
  }

  /// Advances the time; one number in four gets new complaints.
  mutating func pass(_ night: Int, _ random: inout SeededGenerator) {
    time += Double(Int.random(in: 1...6, using: &random)) * 86_400
    for index in records.indices where Int.random(in: 0..<4, using: &random) == 0 {
      let weight = Double.random(in: 0...3, using: &random)
      let part = Int.random(in: records[index].standing.parts.indices, using: &random)
      records[index].standing.parts[part].heat += Decay.heat.storedSum(of: weight, at: time)
      records[index].standing.parts[part].evidence += Decay.evidence.storedSum(of: weight, at: time)
    }
  }

  /// A random cut between two numbers; nil if a publication would not cut.
  func cut(_ random: inout SeededGenerator) -> SelectionCut? {
    let heats = records.map { heat($0) }.sorted()
    guard heats.count > 2 else { return nil }
    let line = heats[Int.random(in: 1..<max(2, heats.count * 2 / 3), using: &random)]
    return SelectionCut(heat: line, identifications: [0.5, 1.5, 2.5, .infinity].randomElement(using: &random) ?? 1)
  }

  /// Assembles the packs from the numbers above the cut.
  func publish(_ recipes: [Recipe], cut: SelectionCut?) async throws -> Assembly {
    let read = records.filter { record in
      guard let cut else { return true }
      return heat(record) >= cut.heat || calls(record) >= cut.identifications
    }
    var merge = CurationMerge(state)
    let chosen = merge.take(read.compactMap { judged($0, as: listed[$0.number]) }) + merge.finish()
    let rang = Dictionary(uniqueKeysWithValues: records.map { ($0.number, calls($0)) })
    let directory = Set(names).sorted().map { number in
      DirectoryEntry(number: number, name: "Name \(number % 5)", identifications: rang[number] ?? 0)
    }
    return try await Assembly.run(recipes, listed: chosen, directory: directory, batch: 50, cut: cut)
  }

  func isHeldByHysteresis(_ place: ListedNumber) -> Bool {
    guard place.cause == .reports, let index = places[place.number] else { return false }
    return judged(records[index], as: nil) == nil
  }

  private func judged(_ record: NumberRecord, as treatment: ListedNumber.Treatment?) -> ListedNumber? {
    var record = record
    (record.isListed, record.isBlocked) = (treatment != nil, treatment == .block)
    return selection.listed(record, at: time, by: thresholds, in: state)
  }

  private func heat(_ record: NumberRecord) -> Double { Decay.heat.value(ofStoredSum: record.standing.heat, at: time) }
  private func calls(_ record: NumberRecord) -> Double {
    Decay.heat.value(ofStoredSum: record.identifications, at: time)
  }
}
