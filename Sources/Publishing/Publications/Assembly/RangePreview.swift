// SPDX-License-Identifier: Apache-2.0

import CallerPack
public import Curation
public import Foundation
public import Storage

/// The changes that rules for ranges would make to the packs of the next publication.
public struct RangePreview: Sendable {
  public struct Change: Sendable, Equatable {
    public var pack: String
    public var added = 0
    public var removed = 0
    /// The count of numbers of the rules that it has no room for.
    public var leftOut = 0
  }

  private let store: PublicationStore
  private let folder: PublicationFolder

  /// - Parameter folder: the packs of the newest publication, which show how much room there is.
  public init(store: PublicationStore, folder: PublicationFolder) {
    (self.store, self.folder) = (store, folder)
  }

  /// The packs that would change if rules were in force; one of the same range and source is replaced.
  ///
  /// Numbers that a directory names count as added, although publications leave them out.
  public func changes(by rules: [RangeRule], recipes: [Recipe], at time: Date) async throws -> [Change] {
    try await store.withSnapshot { connection in
      var plan = try PackPlan(recipes: recipes, regions: try await RegionStore.map(on: connection))
      let listed = try await ListedRangeStore.numbers(on: connection)
      var state = try await CurationStateStore.load(at: time, on: connection)
      let texts = Dictionary(grouping: rules, by: \.appID).mapValues { Set($0.map(\.range.text)) }
      state.rules.removeAll { texts[$0.appID]?.contains($0.range.text) ?? false }
      state.rules += rules
      let packs = Dictionary((try folder.manifest()?.manifest.packs ?? []).map { ($0.name, $0) }) { first, _ in first }
      // The ranges of each pack of the newest publication that rules list.
      let present = try plan.packs.map { pack -> (entries: Int, ruled: [ClosedRange<Int64>]) in
        guard let found = packs[pack.spec.name] else { return (0, []) }
        return (found.entries, try common(listed, found))
      }
      plan.note(
        candidates: present.map { pack in pack.entries - pack.ruled.reduce(0) { $0 + $1.count } },
        ranges: plan.packs.map { _ in [:] })
      let placement = Placement(state, plan)
      return try plan.packs.indices.compactMap { pack in
        let parts = placement.parts[pack]
        let kept = try packs[plan.packs[pack].spec.name].map { try common(parts, $0) } ?? []
        let change = Change(
          pack: plan.packs[pack].spec.name, added: parts.count(without: kept),
          removed: present[pack].ruled.count(without: parts), leftOut: placement.leftOut[pack])
        return change.added + change.removed + change.leftOut > 0 ? change : nil
      }
    }
  }

  /// The numbers that ranges and a pack have in common.
  private func common(_ ranges: [ClosedRange<Int64>], _ pack: ManifestPack) throws -> [ClosedRange<Int64>] {
    guard !ranges.isEmpty, let reader = try? PackReader.open(path: folder.filePath(pack.path)) else { return [] }
    var (runs, found) = (try PackRanges(reader), [ClosedRange<Int64>]())
    while let numbers = try runs.next() { found += ranges.overlapping(numbers).map { $0.clamped(to: numbers) } }
    return found
  }

  /// The numbers of rules in each pack.
  private struct Placement {
    var parts: [[ClosedRange<Int64>]]
    /// The count of numbers of rules that a pack has no room for.
    var leftOut: [Int]

    init(_ state: CurationState, _ plan: PackPlan) {
      var plan = plan
      let ranges = RangeEntries(state.ruledRanges(), by: state.rules)
      var found: [[(rule: Int, numbers: ClosedRange<Int64>)]] = plan.packs.map { _ in [] }
      var sizes: [[Int: Int]] = plan.packs.map { _ in [:] }
      for (place, range) in ranges.ranges.enumerated() {
        plan.forEachPart(of: ranges.entry(place, range.numbers)) { pack, part in
          found[pack].append((range.rule, part))
          sizes[pack][range.rule, default: 0] += part.count
        }
      }
      plan.note(candidates: plan.packs.map(\.candidates), ranges: sizes)
      _ = plan.choose(state.rules)
      parts = found.enumerated().map { pack, parts in
        parts.filter { plan.chosen[plan.packs[pack].recipe].contains($0.rule) }.map(\.numbers)
      }
      leftOut = sizes.enumerated().map { pack, sizes in
        sizes.reduce(0) { plan.chosen[plan.packs[pack].recipe].contains($1.key) ? $0 : $0 + $1.value }
      }
    }
  }
}

extension [ClosedRange<Int64>] {
  /// The count of numbers that other ranges do not have; both ascend without overlaps.
  fileprivate func count(without others: [ClosedRange<Int64>]) -> Int {
    reduce(0) { sum, numbers in
      RangeMerge.subtract(others.overlapping(numbers), from: numbers).reduce(sum) { $0 + $1.count }
    }
  }
}
