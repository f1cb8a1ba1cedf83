// SPDX-License-Identifier: Apache-2.0

public import CallerPack
import CallerPackBuilder
public import Curation
public import Foundation
import PostgreSQL
import Storage

extension Publisher {
  /// Makes a publication that applies the open revocations to the last publication's packs, without selecting numbers
  /// from the database. Reads the changed packs once.
  ///
  /// Numbers protected since the last publication are removed from the changed packs, and none is added. If a gate
  /// fails, the revocations are refused for good; the next full publication decides about their numbers.
  ///
  /// The gates for churn, size and empty packs do not apply, because a revocation may remove the last number of a pack.
  /// - Returns: nil if there was nothing to do or all revocations were already in effect.
  /// - Throws: see ``publish(_:)``.
  public func publishRevocations(
    at time: Date, progress: @escaping @Sendable (JobStep, Double) -> Void = { _, _ in }
  ) async throws -> Manifest? {
    guard try await store.hasOpenRevocations() else { return nil }
    // The lock prevents a running publication from publishing a number that was settled as removed.
    return try await locked { ground -> Manifest? in
      let open = try await store.openRevocations()
      guard let former = ground.former else {
        try await store.refuse(open, because: .nothingPublished, at: time)
        return nil
      }
      let protection = try await store.withSnapshot { try await self.protection($0) }
      let accepted = try await refuseProtected(open, protection, at: time)
      let change = RevocationEdits(accepted, recipes: try recipes.currentOrLast(), protection: protection)
      guard try former.packs.contains(where: { try change.changes($0, in: folder) }) else {
        try await store.settle(
          accepted, placed: try change.treatments(in: former, of: folder), serial: former.serial, at: time)
        return nil
      }
      // Never earlier than the previous publication, even if the clock is wrong.
      let request = PublicationRequest(time: max(time, former.issued), cause: .revocation, progress: progress)
      do {
        return try await run(
          request, on: ground, exempt: [.churn, .size, .nonEmpty], asOf: former.asOf,
          make: { work in
            try await makeChanged(work, protection) { (change, try change.changes($0, in: folder)) }
          },
          remember: { connection, manifest in
            try await PublicationStore.settle(
              accepted, placed: try change.treatments(in: manifest, of: folder), dropped: change.dropped.sorted(),
              serial: manifest.serial, at: manifest.issued, on: connection)
          })
      } catch PublishingError.heldBack(let gates) {
        // A second attempt would fail at the same gates.
        let closed = Set(gates.closed.map(\.gate)).sorted().joined(separator: ", ")
        try await store.refuse(accepted, because: .gatesClosed(gates: closed), at: time)
        throw PublishingError.heldBack(gates)
      }
    }
  }

  /// - Returns: the revocations that do not add a protected number.
  private func refuseProtected(
    _ open: [Revocation], _ protection: ProtectionLookup, at time: Date
  ) async throws -> [Revocation] {
    var accepted: [Revocation] = []
    for revocation in open {
      if case .add = revocation.action, protection(revocation.number) != nil {
        try await store.refuse([revocation], because: .numberProtected(number: revocation.number), at: time)
      } else {
        accepted.append(revocation)
      }
    }
    return accepted
  }

  /// Removes from the previous publication the numbers that left its packs for a reason in a refused one.
  func withdraw(_ drafts: [PackDraft], _ request: PublicationRequest, on ground: PublicationBase) async throws {
    let withdrawn = Dictionary(drafts.map { ($0.figures.name, $0.withdrawn) }) { first, _ in first }
    guard let former = ground.former, withdrawn.values.contains(where: { !$0.isEmpty }) else { return }
    let recipes = try recipes.currentOrLast()
    let time = max(request.time, former.issued)
    _ = try await run(
      PublicationRequest(time: time, cause: .revocation, progress: request.progress), on: ground,
      exempt: [.churn, .size, .nonEmpty], asOf: former.asOf,
      make: { work in
        try await makeChanged(work, .none) { pack in
          let numbers = withdrawn[pack.name] ?? []
          let left = ProtectionLookup(
            { numbers.hasSorted($0) ? "" : nil }, first: { numbers.all(in: $0).first })
          return (RevocationEdits([], recipes: recipes, protection: left), !numbers.isEmpty)
        }
      },
      remember: { connection, manifest in
        let numbers = Set(withdrawn.values.joined()).sorted()
        let edits = RevocationEdits([], recipes: recipes, protection: .none)
        let kept = try edits.treatments(of: numbers, in: manifest, of: folder)
        try await PublicationStore.unlist(numbers.filter { kept[$0] == nil }, at: time, on: connection)
      })
  }

  /// - Parameter change: the edits of a pack, and whether they change it.
  private func makeChanged(
    _ work: PublicationWork, _ protection: ProtectionLookup,
    _ change: @escaping @Sendable (ManifestPack) throws -> (RevocationEdits, Bool)
  ) async throws -> [PackDraft] {
    let bench = PackBuild(folder: folder, serial: work.serial, time: work.request.time, former: work.former)
    let folder = folder
    return try await inParallel(work.former?.packs ?? []) { pack in
      work.progress.say(.changingPack(pack: pack.name), 0.3)
      let (change, changes) = try change(pack)
      guard changes, let spec = change.spec(of: pack) else {
        return PackDraft(
          figures: PackStatistics(
            name: pack.name, entries: pack.entries, bytes: pack.bytes, formerEntries: pack.entries,
            formerBytes: pack.bytes),
          pack: pack, isCarried: true, formats: pack.formats.map(\.format).filter { $0 != ProvenanceHeader.format },
          evidence: try change.evidence(ofUnchanged: pack, in: folder))
      }
      let base = try PackReader.open(path: folder.filePath(pack.path))
      let writer = try bench.openWriter(spec)
      do {
        try change.apply(to: base, spec, writer)
      } catch {
        writer.cancel()
        throw error
      }
      var draft = try bench.examine(spec, try writer.finish(), protection: protection)
      draft.evidence = change.evidence(of: pack)
      return draft
    }
  }
}
