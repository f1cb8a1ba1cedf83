public import CallerPack
import CallerPackBuilder
import Curation
public import Foundation
import PostgreSQL
import Storage

extension Publisher {
  /// Makes a publication that differs from the last one in the numbers that must go out or come in, and in nothing else:
  /// from its packs, not from the database's masses. Takes a pass over the packs that change.
  ///
  /// Churn, size and emptiness are not looked at: to take the last number out of a pack is what was asked for.
  /// - Returns: nil when there was nothing to do: what was asked for is so already.
  /// - Throws: see ``publish(_:)``.
  public func publishRevocations(
    at time: Date, progress: @escaping @Sendable (String, Double) -> Void = { _, _ in }
  ) async throws -> Manifest? {
    let open = try await store.openRevocations()
    guard !open.isEmpty else { return nil }
    guard let former = try folder.manifest()?.manifest else {
      try await store.refuse(open, because: "Nothing has been published yet.", at: time)
      return nil
    }
    let change = SingleChanges(open, recipes: recipes)
    guard try former.packs.contains(where: { try change.changes($0, in: folder) }) else {
      try await store.settle(open, serial: former.serial, at: time)
      return nil
    }
    // Never earlier than the publication that it follows, whatever the clock says.
    let request = PublicationRequest(time: max(time, former.issued), cause: .revocation, progress: progress)
    return try await run(
      request, exempt: [.churn, .size, .nonEmpty], asOf: former.asOf,
      make: { work in try await makeChanged(work, change) },
      remember: { connection, manifest in
        try await PublicationStore.settle(open, serial: manifest.serial, at: manifest.issued, on: connection)
      })
  }

  private func makeChanged(_ work: PublicationWork, _ change: SingleChanges) async throws -> [PackDraft] {
    let bench = PackBench(folder: folder, serial: work.serial, time: work.request.time, former: work.former)
    let protection = try await protection()
    let folder = folder
    return try await inParallel(work.former?.packs ?? []) { pack in
      work.progress.say("Changing \(pack.name)", 0.3)
      guard try change.changes(pack, in: folder), let spec = change.spec(of: pack) else {
        return PackDraft(
          figures: PackFigures(
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
