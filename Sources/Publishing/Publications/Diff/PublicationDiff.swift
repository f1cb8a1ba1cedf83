import AsyncSupport
public import CallerPack
import Foundation
import Synchronization

/// What changed between two publications that are still in the folder, pack by pack, read from the packs themselves.
///
/// Nothing is kept in memory but two blocks: a page of changes costs the walk to its end, whose beginning is looked up by
/// number. Totals cost a walk over both packs, about 0.1 s a million numbers, and are remembered.
public struct PublicationDiff: Sendable {
  private let folder: PublicationFolder
  private let totals = Remembered()

  /// A publication that can be compared.
  public struct Night: Sendable, Equatable {
    /// The signed part of its manifest.
    public let head: ManifestHead
    /// Its serial.
    public var serial: Int64 { head.serial }
  }

  /// - Parameter folder: where publications lie.
  public init(folder: PublicationFolder) {
    self.folder = folder
  }

  /// The publications that are still there, newest first.
  public func nights() -> [Night] { ((try? folder.keptHeads()) ?? []).map(Night.init) }

  /// The names of a publication's packs; none where its manifest cannot be read.
  public func packs(of night: Night) -> [String] {
    ((try? folder.manifest(of: night.head))?.packs ?? []).map(\.name)
  }

  /// Changes of a pack behind a number, ascending.
  /// - Parameters:
  ///   - pack: its name.
  ///   - kinds: what is asked for.
  ///   - number: where the page before ended; 0 at first.
  ///   - limit: the most, at least 1.
  /// - Returns: the changes, and whether there are more.
  /// - Throws: `PackError` when a pack cannot be read.
  public func changes(
    from earlier: Night, to later: Night, pack: String, kinds: Set<PublicationChange.Kind>, behind number: Int64,
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

  /// How many numbers of a pack changed.
  /// - Throws: `PackError` when a pack cannot be read.
  public func totals(from earlier: Night, to later: Night, pack: String) async throws -> ChangeTotals {
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

  private func pair(_ earlier: Night, _ later: Night, _ name: String) -> (before: ManifestPack?, after: ManifestPack?) {
    (find(name, in: earlier), find(name, in: later))
  }

  private func find(_ name: String, in night: Night) -> ManifestPack? {
    try? folder.manifest(of: night.head, wanted: [name]).packs.first
  }

  private func reader(_ pack: ManifestPack?) throws -> PackReader? {
    guard let pack else { return nil }
    return try PackReader.open(path: folder.filePath(pack.path))
  }

  /// Totals of late: files never change under their names.
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
