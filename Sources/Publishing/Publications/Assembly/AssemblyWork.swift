// SPDX-License-Identifier: Apache-2.0

import ServerSupport
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
  private let ranges: RangeEntries
  private var leftOut: [AssembledPacks.LeftOut] = []

  init(
    plan: PackPlan, ranges: RuledRanges, folder: String, progress: @escaping @Sendable (AssemblyProgress) -> Void
  ) throws {
    self.plan = plan
    self.folder = folder
    self.progress = progress
    numbers = try EntrySpools(folder: folder)
    self.ranges = RangeEntries(ranges.ranges, by: ranges.rules)
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
    var sizes = [[Int: Int]](repeating: [:], count: plan.packs.count)
    try numbers.forEachMerged(with: ranges) { number in
      if let rule = number.rule {
        plan.forEachPart(of: number) { pack, part in sizes[pack][rule, default: 0] += part.count }
      } else {
        plan.forEachPack(of: number) { pack, _ in candidates[pack] += 1 }
      }
    }
    plan.note(candidates: candidates, ranges: sizes)
    progress(AssemblyProgress(phase: .selecting, done: count, total: count))
    try rank()
    if let cut, !plan.isWhole(above: cut) { throw AssemblyError.cutTooHigh }
    leftOut = plan.choose(ranges.rules)
    let (spool, placedRanges) = try Self.divide(numbers, ranges, by: plan, folder: folder, placed, evident)
    return try write(spool, placedRanges, openWriter)
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
      try numbers.forEachMerged(with: RangeEntries([], by: [])) { number in
        plan.forEachPack(of: number) { pack, rank in best[pack]?.add(rank) }
      }
      for (pack, entries) in best.enumerated() {
        if let entries { plan.limit(pack, to: entries.last) }
      }
    }
  }

  /// Writes the entries with their labels, one stream for each pack.
  private static func divide(
    _ numbers: EntrySpools, _ ranges: RangeEntries, by plan: PackPlan, folder: String,
    _ placed: ([ListedNumber]) throws -> Void, _ evident: ([ListedNumber]) throws -> Void
  ) throws -> (BlockSpool, [RuledRange]) {
    let spool = try BlockSpool(folder: folder)
    for _ in plan.packs { _ = spool.addStream() }
    var label: [UInt8] = []
    var published: [ListedNumber] = []
    var shared: [ListedNumber] = []
    var placedRanges = PlacedRanges()
    func append(_ part: ClosedRange<Int64>, of number: MergedNumber, to pack: Int) throws {
      label.removeAll(keepingCapacity: true)
      plan.rules[plan.packs[pack].recipe].appendLabel(number, to: &label)
      try spool.append(to: pack) { bytes in
        bytes.append(littleEndian: part.lowerBound)
        bytes.append(littleEndian: UInt32(part.count))
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: label.count))
        bytes.append(contentsOf: label)
      }
    }
    try numbers.forEachMerged(with: ranges) { merged in
      let number = copy merged
      if let rule = number.rule {
        try plan.forEachPart(of: number) { pack, part in
          let recipe = plan.packs[pack].recipe
          guard plan.chosen[recipe].contains(rule) else { return }
          try append(part, of: number, to: pack)
          placedRanges.add(part, blocks: plan.rules[recipe].recipe.kind == .blocking)
        }
        placedRanges.endRange(rule)
        return
      }
      var (hasPlace, isBlocked, isShared) = (false, false, false)
      try plan.forEachPack(of: number) { pack, rank in
        guard plan.isIn(pack, rank) else { return }
        let rule = plan.rules[plan.packs[pack].recipe]
        if let item = number.listed, rule.takes(item) {
          hasPlace = true
          if rule.recipe.kind == .blocking { isBlocked = true }
          if rule.sharesEvidence { isShared = true }
        }
        try append(number.number...number.number, of: number, to: pack)
      }
      guard hasPlace, let item = number.listed else { return }
      var listing = ListedNumber(item)
      // Lookups must not block what no pack blocks.
      if !isBlocked { listing.treatment = .identify }
      placedRanges.bridge(number.number, listing.treatment)
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
    return (spool, placedRanges.found)
  }

  /// Placed numbers handed over at a time.
  private static let placedBatch = 8_192

  private func write(
    _ spool: BlockSpool, _ placedRanges: [RuledRange], _ openWriter: @Sendable (PackSpec) throws -> PackWriter
  ) throws -> AssembledPacks {
    let total = plan.packs.indices.reduce(0) { $0 + plan.entries(of: $1) }
    var done = 0
    var assembled = AssembledPacks(
      packs: [], empty: [], ranges: placedRanges, leftOut: leftOut, listed: numbers.listedCount,
      named: numbers.directoryCount)
    for (index, pack) in plan.packs.enumerated() {
      try Task.checkCancellation()
      guard plan.entries(of: index) > 0 || pack.spec.recipe.keepsEmpty else {
        assembled.empty.append(pack.spec)
        continue
      }
      progress(AssemblyProgress(phase: .writing, done: done, total: total, pack: pack.spec.name))
      let writer = try openWriter(pack.spec)
      do {
        let summary = try Self.fill(writer, from: spool.reader(of: index), kind: pack.spec.recipe.kind)
        done += summary.entries
        assembled.packs.append(.init(spec: pack.spec, summary: summary, candidates: pack.candidates + pack.added))
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
      let count = Int64(reader.integer(UInt32.self))
      let label = reader.take(Int(reader.integer(UInt16.self)))
      try writer.append(number...number + count - 1, roles: roles, labelUTF8: label)
    }
    return try writer.finish()
  }
}

/// Collects the numbers that packs include because of rules.
private struct PlacedRanges {
  private(set) var found: [RuledRange] = []
  private var blocked: [ClosedRange<Int64>] = []
  private var identified: [ClosedRange<Int64>] = []
  /// The last number that is listed by itself, in the way of the last range that it continues.
  private var bridged: Int64 = 0

  mutating func add(_ part: ClosedRange<Int64>, blocks: Bool) {
    if blocks { Self.append(part, to: &blocked) } else { Self.append(part, to: &identified) }
  }

  private static func append(_ part: ClosedRange<Int64>, to parts: inout [ClosedRange<Int64>]) {
    if let last = parts.last, last.upperBound + 1 == part.lowerBound {
      parts[parts.count - 1] = last.lowerBound...part.upperBound
    } else if parts.last != part {
      parts.append(part)
    }
  }

  /// Ends a range: of its parts, each is blocked where a pack blocks it, otherwise identified.
  mutating func endRange(_ rule: Int) {
    guard !blocked.isEmpty || !identified.isEmpty else { return }
    let numbers = (blocked + identified).reduce(blocked.first ?? identified[0]) {
      min($0.lowerBound, $1.lowerBound)...max($0.upperBound, $1.upperBound)
    }
    func united(_ parts: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
      let holes = RangeMerge.subtract(parts.sorted { $0.lowerBound < $1.lowerBound }, from: numbers)
      return RangeMerge.subtract(holes, from: numbers)
    }
    let blocks = united(blocked)
    let others = united(identified).flatMap { RangeMerge.subtract(blocks, from: $0) }
    let parts =
      blocks.map { RuledRange($0, treatment: .block, rule: rule) }
      + others.map { RuledRange($0, treatment: .identify, rule: rule) }
    for part in parts.sorted(by: { $0.numbers.lowerBound < $1.numbers.lowerBound }) {
      if let last = found.last, last.rule == rule, last.treatment == part.treatment,
        max(last.numbers.upperBound, bridged) + 1 == part.numbers.lowerBound
      {
        found[found.count - 1].numbers = last.numbers.lowerBound...part.numbers.upperBound
      } else {
        found.append(part)
      }
    }
    (blocked, identified) = ([], [])
  }

  /// A number that is listed by itself in the same way as the range before it does not divide the range: its own listing
  /// has precedence.
  mutating func bridge(_ number: Int64, _ treatment: ListedNumber.Treatment) {
    guard let last = found.last, last.treatment == treatment,
      max(last.numbers.upperBound, bridged) + 1 == number
    else { return }
    bridged = number
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
