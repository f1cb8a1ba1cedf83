public import CallerPack
import CallerPackBuilder
public import Curation
public import Foundation
import PostgreSQL
import Storage

extension Publisher {
  /// Makes a publication that differs from the last one in the numbers that must go out or come in, and in nothing else:
  /// from its packs, not from the database's masses. Takes a pass over the packs that change.
  ///
  /// Numbers that are protected by now go out of the packs that change as well, and none comes in. What a gate holds back
  /// is refused for good; the next night decides about its numbers.
  ///
  /// Churn, size and emptiness are not looked at: to take the last number out of a pack is what was asked for.
  /// - Returns: nil when there was nothing to do: what was asked for is so already.
  /// - Throws: see ``publish(_:)``.
  public func publishRevocations(
    at time: Date, progress: @escaping @Sendable (JobStep, Double) -> Void = { _, _ in }
  ) async throws -> Manifest? {
    guard try await store.hasOpenRevocations() else { return nil }
    // Under the lock, or a night that is being made could publish a number that was settled as gone.
    return try await locked { ground -> Manifest? in
      let open = try await store.openRevocations()
      guard let former = ground.former else {
        try await store.refuse(open, because: .nothingPublished, at: time)
        return nil
      }
      let protection = try await store.withSnapshot { try await self.protection($0) }
      let accepted = try await refuseProtected(open, protection, at: time)
      let change = SingleChanges(accepted, recipes: recipes, protection: protection)
      guard try former.packs.contains(where: { try change.changes($0, in: folder) }) else {
        try await store.settle(accepted, serial: former.serial, at: time)
        return nil
      }
      // Never earlier than the publication that it follows, whatever the clock says.
      let request = PublicationRequest(time: max(time, former.issued), cause: .revocation, progress: progress)
      do {
        return try await run(
          request, on: ground, exempt: [.churn, .size, .nonEmpty], asOf: former.asOf,
          make: { work in try await makeChanged(work, change, protection) },
          remember: { connection, manifest in
            try await PublicationStore.settle(
              accepted, dropped: change.dropped.sorted(), serial: manifest.serial, at: manifest.issued, on: connection)
          })
      } catch PublishingError.heldBack(let gates) {
        // Tried again, the same gates would say the same.
        try await store.refuse(accepted, because: .gatesClosed(Set(gates.closed.map(\.gate)).sorted()), at: time)
        throw PublishingError.heldBack(gates)
      }
    }
  }

  /// - Returns: those that do not put a protected number in.
  private func refuseProtected(
    _ open: [Revocation], _ protection: (Int64) -> String?, at time: Date
  ) async throws -> [Revocation] {
    var accepted: [Revocation] = []
    for revocation in open {
      if case .add = revocation.action, protection(revocation.number) != nil {
        try await store.refuse([revocation], because: .numberProtected(revocation.number), at: time)
      } else {
        accepted.append(revocation)
      }
    }
    return accepted
  }

  private func makeChanged(
    _ work: PublicationWork, _ change: SingleChanges, _ protection: @escaping @Sendable (Int64) -> String?
  ) async throws -> [PackDraft] {
    let bench = PackBuild(folder: folder, serial: work.serial, time: work.request.time, former: work.former)
    let folder = folder
    return try await inParallel(work.former?.packs ?? []) { pack in
      work.progress.say(.changing(pack: pack.name), 0.3)
      guard try change.changes(pack, in: folder), let spec = change.spec(of: pack) else {
        return PackDraft(
          figures: PackStatistics(
            name: pack.name, entries: pack.entries, bytes: pack.bytes, formerEntries: pack.entries,
            formerBytes: pack.bytes),
          pack: pack, isCarried: true, formats: pack.formats.map(\.format))
      }
      let base = try PackReader.open(path: folder.filePath(pack.path))
      let writer = try bench.openWriter(spec)
      do {
        try change.apply(to: base, spec, writer)
      } catch {
        writer.cancel()
        throw error
      }
      return try bench.examine(spec, try writer.finish(), protection: protection)
    }
  }
}
