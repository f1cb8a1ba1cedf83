// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CallerPack
import CallerPackBuilder
import Curation
import Foundation
import Importing
import PhoneNumbers
import Publishing
import RingfenceCommand
import Storage
import Synchronization

/// `ringfence-benchmark assemble`
struct AssembleBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assemble",
    abstract: "Measure how packs are assembled from generated numbers and names, without a database.",
    discussion: "Uses the recipes in force and the regions of Resources/regions-us.tsv. The packs are deleted.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Listed numbers.")
  var numbers = 10_000_000

  @Option(help: "Names of a directory.")
  var directory = 4_000_000

  @Option(help: "A file of recipes.")
  var recipes: String?

  @Option(help: "Names of chains: a JSON object of \"kind|name\": branches.")
  var chains: String?

  func validate() throws {
    guard (0...40_000_000).contains(numbers), (0...40_000_000).contains(directory) else {
      throw ValidationError("--numbers and --directory are 0 to 40000000.")
    }
  }

  func run() async throws {
    let settings = try database.settings()
    let installation = try Installation.find(settings)
    let recipes = try Recipe.read(
      from: Recipe.file(named: recipes, data: try settings.data, installation: installation))
    let regions = try RegionFile.read(contentsOf: "\(installation.resources)/regions-us.tsv")
    let map = try RegionMap.countries(
      overlaidBy: regions.flatMap { region in region.prefixes.map { (prefix: $0, region: region.code) } })
    let names = try chains.map { try DirectorySimulator.Chain.read(contentsOf: $0).map(\.name) } ?? ["Zoé", "Ромашка"]
    let folder = "\(FileManager.default.temporaryDirectory.path)/ringfence-assemble-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    let content = GeneratedContent(names: names)
    let (numbers, directory) = (numbers, directory)
    let phases = Mutex<[String: ContinuousClock.Instant]>([:])
    let start = ContinuousClock.now
    let made = try await PackAssembler(recipes: recipes, regions: map, temporaryFolder: folder).assemble(
      listed: { body in
        for first in stride(from: 0, to: numbers, by: 4_000) {
          try await body((first..<min(numbers, first + 4_000)).map(content.listed))
        }
      },
      directory: { body in
        for first in stride(from: 0, to: directory, by: 4_000) {
          try await body((first..<min(directory, first + 4_000)).map(content.entry))
        }
      },
      progress: { step in
        phases.withLock { phases in
          if phases[step.phase.rawValue] == nil { phases[step.phase.rawValue] = .now }
        }
      },
      openWriter: { spec in
        try PackWriter(
          path: "\(folder)/\(spec.name).rfpack",
          options: .init(kind: spec.recipe.kind == .blocking ? .blocking : .identification, region: spec.region ?? ""))
      })
    let end = ContinuousClock.now
    let (selecting, writing) = phases.withLock { ($0["selecting"] ?? end, $0["writing"] ?? end) }
    print(
      "\(made.packs.count) packs, \(TextFormat.grouped(made.packs.reduce(0) { $0 + $1.summary.entries })) entries, "
        + "\(TextFormat.bytes(Double(made.packs.reduce(0) { $0 + $1.summary.bytes }))); "
        + "\(made.empty.count) empty ones left out"
    )
    func seconds(_ from: ContinuousClock.Instant, _ to: ContinuousClock.Instant) -> String {
      TextFormat.oneDigit((to - from) / .seconds(1))
    }
    print(
      "reading and counting \(seconds(start, selecting)) s, selecting \(seconds(selecting, writing)) s, "
        + "writing \(seconds(writing, end)) s")
    if let peak = ProcessMemory(pid: ProcessInfo.processInfo.processIdentifier)?.peak {
      print("peak memory \(TextFormat.bytes(Double(peak)))")
    }
  }
}

/// Generates numbers in ascending order, the same ones each time.
private struct GeneratedContent: Sendable {
  let names: [String]

  private func random(_ index: Int, _ purpose: UInt64) -> UInt64 {
    var mixer = SplitMix64(seed: UInt64(index) &* 4 &+ purpose)
    return mixer.next()
  }

  func listed(_ index: Int) -> ListedNumber {
    let bits = random(index, 1)
    return ListedNumber(
      number: 12_010_000_000 + Int64(index) * 797 + Int64(bits % 5),
      category: ReportCategory.allCases[index % 12], heat: Double(bits >> 40) / 1_000, evidence: Double(bits >> 44),
      identifications: bits % 3 == 0 ? Double(bits >> 32) : 0)
  }

  func entry(_ index: Int) -> DirectoryEntry {
    let bits = random(index, 2)
    return DirectoryEntry(
      number: 12_010_000_000 + Int64(index) * 1_993 + Int64(bits % 1_000),
      name: bits % 2 == 0
        ? names[Int(bits >> 8) % names.count] : "\(names[Int(bits >> 8) % names.count]) \(index % 9_973)",
      identifications: bits % 5 == 0 ? Double(bits >> 32) : 0)
  }
}
