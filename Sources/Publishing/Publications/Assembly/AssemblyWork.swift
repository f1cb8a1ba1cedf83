// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import CallerPack
import CallerPackBuilder
import Curation

/// A running assembly, on its own thread.
actor AssemblyWork {
  private let executor = SerialQueueExecutor(label: "publishing.assembling")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private var plan: PackPlan
  private let folder: String
  private let progress: @Sendable (AssemblyProgress) -> Void
  private let numbers: EntrySpools

  init(plan: PackPlan, folder: String, progress: @escaping @Sendable (AssemblyProgress) -> Void) throws {
    self.plan = plan
    self.folder = folder
    self.progress = progress
    numbers = try EntrySpools(folder: folder)
  }

  private var count: Int { numbers.listedCount + numbers.directoryCount }

  func take(_ batch: [ListedNumber]) throws {
    try numbers.append(batch)
    progress(AssemblyProgress(phase: .reading, done: count))
  }

  func take(_ batch: [DirectoryEntry]) throws {
    try numbers.append(batch)
    progress(AssemblyProgress(phase: .reading, done: count))
  }

  func finish(
    cut: SelectionCut?, placed: ([ListedNumber]) throws -> Void, evident: ([ListedNumber]) throws -> Void,
    _ openWriter: @Sendable (PackSpec) throws -> PackWriter
  ) throws -> AssembledPacks {
    var candidates = [Int](repeating: 0, count: plan.packs.count)
    try numbers.forEachMerged { number in
      plan.forEachPack(of: number) { pack, _ in candidates[pack] += 1 }
    }
    plan.note(candidates: candidates)
    progress(AssemblyProgress(phase: .selecting, done: count, total: count))
    try rank()
    if let cut, !plan.isWhole(above: cut) { throw AssemblyError.cutTooHigh }
    return try write(try Self.divide(numbers, by: plan, folder: folder, placed, evident), openWriter)
  }

  /// Finds the last included rank of packs with more candidates than their limit. Ranks as many packs at a time as
  /// memory allows.
  private func rank() throws {
    var waiting = plan.packs.indices.filter { plan.packs[$0].candidates > plan.packs[$0].spec.recipe.limit }[...]
    while !waiting.isEmpty {
      try Task.checkCancellation()
      var best = [BestEntries?](repeating: nil, count: plan.packs.count)
      var room = PackAssembler.rankedEntries
      while let pack = waiting.first, room == PackAssembler.rankedEntries || plan.packs[pack].spec.recipe.limit <= room
      {
        let limit = plan.packs[pack].spec.recipe.limit
        best[pack] = BestEntries(limit: limit)
        room -= limit
        waiting.removeFirst()
      }
      try numbers.forEachMerged { number in
        plan.forEachPack(of: number) { pack, rank in best[pack]?.add(rank) }
      }
      for (pack, entries) in best.enumerated() {
        if let entries { plan.limit(pack, to: entries.last) }
      }
    }
  }

  /// Writes the entries with their labels, one stream for each pack.
  private static func divide(
    _ numbers: EntrySpools, by plan: PackPlan, folder: String, _ placed: ([ListedNumber]) throws -> Void,
    _ evident: ([ListedNumber]) throws -> Void
  ) throws -> BlockSpool {
    let spool = try BlockSpool(folder: folder)
    for _ in plan.packs { _ = spool.addStream() }
    var label: [UInt8] = []
    var published: [ListedNumber] = []
    var shared: [ListedNumber] = []
    try numbers.forEachMerged { number in
      var (hasPlace, isBlocked, isShared) = (false, false, false)
      try plan.forEachPack(of: number) { pack, rank in
        guard plan.isIn(pack, rank) else { return }
        let rule = plan.rules[plan.packs[pack].recipe]
        if let item = number.listed, rule.takes(item) {
          hasPlace = true
          if rule.recipe.kind == .blocking { isBlocked = true }
          if rule.sharesEvidence { isShared = true }
        }
        label.removeAll(keepingCapacity: true)
        rule.appendLabel(number, to: &label)
        try spool.append(to: pack) { bytes in
          bytes.append(littleEndian: number.number)
          bytes.append(littleEndian: UInt16(truncatingIfNeeded: label.count))
          bytes.append(contentsOf: label)
        }
      }
      guard hasPlace, let item = number.listed else { return }
      var listing = ListedNumber(item)
      // Lookups must not block what no pack blocks.
      if !isBlocked { listing.treatment = .identify }
      published.append(listing)
      if isShared { shared.append(ListedNumber(item)) }
      guard published.count == placedBatch else { return }
      try placed(published)
      try evident(shared)
      published.removeAll(keepingCapacity: true)
      shared.removeAll(keepingCapacity: true)
    }
    try placed(published)
    try evident(shared)
    return spool
  }

  /// Placed numbers handed over at a time.
  private static let placedBatch = 8_192

  private func write(
    _ spool: BlockSpool, _ openWriter: @Sendable (PackSpec) throws -> PackWriter
  ) throws -> AssembledPacks {
    let total = plan.packs.reduce(0) { $0 + min($1.candidates, $1.spec.recipe.limit) }
    var done = 0
    var assembled = AssembledPacks(packs: [], empty: [], listed: numbers.listedCount, named: numbers.directoryCount)
    for (index, pack) in plan.packs.enumerated() {
      try Task.checkCancellation()
      guard pack.candidates > 0 || pack.spec.recipe.keepsEmpty else {
        assembled.empty.append(pack.spec)
        continue
      }
      progress(AssemblyProgress(phase: .writing, done: done, total: total, pack: pack.spec.name))
      let writer = try openWriter(pack.spec)
      do {
        let summary = try Self.fill(writer, from: spool.reader(of: index), kind: pack.spec.recipe.kind)
        done += summary.entries
        assembled.packs.append(.init(spec: pack.spec, summary: summary, candidates: pack.candidates))
      } catch {
        writer.cancel()
        throw error
      }
    }
    progress(AssemblyProgress(phase: .writing, done: done, total: total))
    return assembled
  }

  private static func fill(
    _ writer: PackWriter, from reader: BlockReader, kind: Recipe.Kind
  ) throws -> PackSummary {
    let roles: PackRoles = kind == .blocking ? .blocks : .identifies
    while try reader.hasMore() {
      let number = reader.integer(Int64.self)
      let label = reader.take(Int(reader.integer(UInt16.self)))
      try writer.append(number, roles: roles, labelUTF8: label)
    }
    return try writer.finish()
  }
}

extension ListedNumber {
  /// A record without its label.
  fileprivate init(_ item: ListedRecord) {
    self.init(
      number: item.number, category: item.category, treatment: item.treatment, cause: item.cause, heat: item.heat,
      evidence: item.evidence, identifications: item.identifications)
  }
}
