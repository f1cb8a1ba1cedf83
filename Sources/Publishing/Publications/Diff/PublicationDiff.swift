// SPDX-License-Identifier: Apache-2.0

import ServerSupport
public import CallerPack
import Foundation
import Synchronization

/// Changes between two publications that are still in the folder, read from their packs.
///
/// Memory is two blocks. A page of changes reads only its own part of the packs; its beginning is found by number.
/// Totals read both packs, about 0.1 s for a million numbers, and are cached.
public struct PublicationDiff: Sendable {
  private let folder: PublicationFolder
  private let totals = Remembered()

  /// A publication that can be compared.
  public struct KeptPublication: Sendable, Equatable {
    /// The signed part of its manifest.
    public let head: ManifestHead
    public var serial: Int64 { head.serial }
  }

  public init(folder: PublicationFolder) {
    self.folder = folder
  }

  /// Newest first.
  public func publications() -> [KeptPublication] { ((try? folder.keptHeads()) ?? []).map(KeptPublication.init) }

  /// Empty if its manifest cannot be read.
  public func packs(of publication: KeptPublication) -> [String] {
    ((try? folder.manifest(of: publication.head))?.packs ?? []).map(\.name)
  }

  /// Changes of a pack after a number, ascending.
  /// - Parameters:
  /// - number: the last number of the previous page; 0 for the first page.
  /// - limit: the maximum count, at least 1.
  /// - Returns: the changes, and whether there are more.
  /// - Throws: `PackError` if a pack cannot be read.
  public func changes(
    from earlier: KeptPublication, to later: KeptPublication, pack: String, kinds: Set<PublicationChange.Kind>,
    behind number: Int64,
    limit: Int
  ) async throws -> (changes: [PublicationChange], hasMore: Bool) {
    let packs = pair(earlier, later, pack)
    guard packs.before?.path != packs.after?.path else { return ([], false) }
    return try await withTaskExecutorPreference(ConcurrentQueueExecutor.publishing) {
      var walk = try PublicationDiffWalk(before: reader(packs.before), after: reader(packs.after), behind: number)
      var changes: [PublicationChange] = []
      while let step = try walk.next() {
        guard let change = step.change, kinds.contains(change.kind) else { continue }
        guard changes.count < limit else { return (changes, true) }
        changes.append(change)
      }
      return (changes, false)
    }
  }

  /// - Throws: `PackError` if a pack cannot be read.
  public func totals(from earlier: KeptPublication, to later: KeptPublication, pack: String) async throws
    -> ChangeTotals
  {
    let packs = pair(earlier, later, pack)
    if let before = packs.before, before.path == packs.after?.path { return ChangeTotals(kept: before.entries) }
    let key = "\(packs.before?.path ?? "") \(packs.after?.path ?? "")"
    if let known = totals.find(key) { return known }
    return try await withTaskExecutorPreference(ConcurrentQueueExecutor.publishing) {
      var walk = try PublicationDiffWalk(before: reader(packs.before), after: reader(packs.after), behind: 0)
      var found = ChangeTotals()
      while let step = try walk.next() {
        if (found.kept + found.entered + found.left).isMultiple(of: 65_536) { try Task.checkCancellation() }
        found.take(step.change?.kind)
      }
      totals.keep(found, as: key)
      return found
    }
  }

  private func pair(_ earlier: KeptPublication, _ later: KeptPublication, _ name: String) -> (
    before: ManifestPack?, after: ManifestPack?
  ) {
    (find(name, in: earlier), find(name, in: later))
  }

  private func find(_ name: String, in publication: KeptPublication) -> ManifestPack? {
    try? folder.manifest(of: publication.head, wanted: [name]).packs.first
  }

  private func reader(_ pack: ManifestPack?) throws -> PackReader? {
    guard let pack else { return nil }
    return try PackReader.open(path: folder.filePath(pack.path))
  }

  /// A cache of recent totals. A file name always has the same content.
  private final class Remembered: Sendable {
    private let known = Mutex<[(key: String, totals: ChangeTotals)]>([])

    func find(_ key: String) -> ChangeTotals? { known.withLock { $0.first { $0.key == key }?.totals } }

    func keep(_ totals: ChangeTotals, as key: String) {
      known.withLock { known in
        known.append((key, totals))
        if known.count > 256 { known.removeFirst() }
      }
    }
  }
}

/// Reads two packs in parallel, ascending, with two blocks in memory.
struct PublicationDiffWalk {
  private let before: PackCursor?
  private let after: PackCursor?
  private var hasBefore = false
  private var hasAfter = false

  /// - Parameters: nil for a missing pack; the walk starts after `number`.
  init(before: PackReader?, after: PackReader?, behind number: Int64) throws {
    self.before = try before?.makeCursor(from: number + 1)
    self.after = try after?.makeCursor(from: number + 1)
    hasBefore = try self.before?.next() ?? false
    hasAfter = try self.after?.next() ?? false
  }

  /// The next number with its change; nil at the end.
  /// - Returns: `change` is nil for an unchanged number.
  mutating func next() throws -> (number: Int64, change: PublicationChange?)? {
    let left = hasBefore ? before?.number : nil
    let right = hasAfter ? after?.number : nil
    guard let number = [left, right].compactMap(\.self).min() else { return nil }
    let old = left == number ? before?.entry : nil
    let new = right == number ? after?.entry : nil
    if left == number { hasBefore = try before?.next() ?? false }
    if right == number { hasAfter = try after?.next() ?? false }
    return (number, PublicationChange(before: old, after: new))
  }
}

/// The difference of a number between two packs.
public struct PublicationChange: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    case entered
    case left
    /// The number has another label or role.
    case relabelled
  }

  public var kind: Kind
  public var before: PackEntry?
  public var after: PackEntry?

  /// E.164 digits.
  public var number: Int64 { after?.number ?? before?.number ?? 0 }

  /// - Parameters: at least one is not nil, and both have the same number.
  /// - Returns: nil if nothing changed.
  init?(before: PackEntry?, after: PackEntry?) {
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, _): kind = .entered
    case (_, nil): kind = .left
    default:
      guard before != after else { return nil }
      kind = .relabelled
    }
    self.before = before
    self.after = after
  }
}

/// Counts of changes of a pack between two publications.
public struct ChangeTotals: Sendable, Equatable {
  public var entered = 0
  public var left = 0
  public var relabelled = 0
  public var kept = 0

  public init(entered: Int = 0, left: Int = 0, relabelled: Int = 0, kept: Int = 0) {
    self.entered = entered
    self.left = left
    self.relabelled = relabelled
    self.kept = kept
  }

  mutating func take(_ kind: PublicationChange.Kind?) {
    switch kind {
    case .entered: entered += 1
    case .left: left += 1
    case .relabelled: relabelled += 1
    case nil: kept += 1
    }
  }
}
