// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Curation
import PhoneNumbers
import Publishing
import TestSupport

/// The assembled packs, read back.
struct Assembly {
  var packs: AssembledPacks
  /// Entries by pack.
  var entries: [String: [PackEntry]] = [:]
  /// The listed numbers.
  var placed: [ListedNumber] = []
  /// Those whose evidence is shared.
  var evident: [ListedNumber] = []

  static let regions: [(prefix: Int64, region: String)] = [(1, "US"), (12, "us-2"), (33, "FR"), (331, "paris")]

  /// Assembles the numbers in small batches.
  static func run(
    _ recipes: [Recipe], listed: [ListedNumber] = [], directory: [DirectoryEntry] = [], batch: Int = 7,
    cut: SelectionCut? = nil
  ) async throws -> Assembly {
    try await withTemporaryFolder { folder in
      let assembler = PackAssembler(
        recipes: recipes, regions: try RegionMap(prefixes: regions), temporaryFolder: folder)
      let placed = Collected<ListedNumber>(), evident = Collected<ListedNumber>()
      let packs = try await assembler.assemble(
        cut: cut,
        listed: { body in
          for start in stride(from: 0, to: listed.count, by: batch) {
            try await body(Array(listed[start..<min(start + batch, listed.count)]))
          }
        },
        directory: { body in
          for start in stride(from: 0, to: directory.count, by: batch) {
            try await body(Array(directory[start..<min(start + batch, directory.count)]))
          }
        },
        placed: placed.add, evident: evident.add,
        openWriter: { spec in
          try PackWriter(
            path: "\(folder)/\(spec.name).rfpack",
            options: .init(kind: spec.recipe.kind == .blocking ? .blocking : .identification))
        })
      var assembly = Assembly(packs: packs, placed: placed.all, evident: evident.all)
      for pack in packs.packs {
        let cursor = try PackReader.open(path: "\(folder)/\(pack.spec.name).rfpack").makeCursor()
        var entries: [PackEntry] = []
        while try cursor.next() { entries.append(cursor.entry) }
        assembly.entries[pack.spec.name] = entries
      }
      return assembly
    }
  }

  /// `number label` lines of a pack.
  func lines(_ pack: String) -> [String] {
    (entries[pack] ?? []).map { "\($0.number) \($0.label ?? "-")" }
  }
}
