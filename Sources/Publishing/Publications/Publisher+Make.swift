// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
package import Curation
package import Foundation
import Logging
import PostgreSQL
import Storage
import Support

extension Publisher {
  /// The packs of one snapshot of the database, and the state of sources in it.
  struct MadePacks: Sendable {
    var drafts: [PackDraft] = []
    var sources = PublicationSources()
  }

  /// Writes the packs from one snapshot of the database and reads them back.
  func makePacks(_ work: PublicationWork) async throws -> MadePacks {
    let bench = PackBuild(folder: folder, serial: work.serial, time: work.request.time, former: work.former)
    let recipes = try await weighedRecipes(at: work.request.time)
    let content = PackContent(
      store: store, selection: selection, recipes: recipes, sources: sources,
      temporaryFolder: "\(folder.path)/.work", review: review, protection: protection,
      server: try evidenceServer(for: recipes))
    let spool = ListedSpool(folder: folder, serial: work.serial)
    let written = try await content.fill(at: work.request.time, spool: spool, open: bench.openWriter) { step, part in
      work.progress.say(step, 0.02 + part * 0.5)
    }
    let (protection, changes, leftOut) = (written.protection, written.changes, written.packs.leftOut)
    for rule in leftOut.prefix(Self.loggedRules) {
      logger.warning(
        "A pack has no room for a rule", metadata: ["pack.recipe": "\(rule.recipe)", "range": "\(rule.range)"])
    }
    let drafts = try await inParallel(written.packs.packs) { pack in
      work.progress.say(.readingBack(pack: pack.spec.name), 0.55)
      var draft = try bench.examine(
        pack.spec, bench.refit(pack.spec, pack.summary), protection: protection, changes: changes)
      draft.figures.leftOut = leftOut.filter { $0.recipe == pack.spec.recipe.name }
      if let evidence = written.evidence, let server = content.server, pack.spec.recipe.sharesEvidence {
        draft.evidence = .collected(evidence, pack.spec.recipe, server: server)
      }
      return draft
    }
    var missing = try bench.missing(besides: Set(drafts.map(\.figures.name)), changes)
    // A name from a directory stays, whatever reports and decisions say, in packs that do not block.
    let named = try await store.named(among: missing.flatMap(\.withdrawn)).subtracting(changes.gone)
    for index in missing.indices where bench.former[missing[index].figures.name]?.kind != "\(PackKind.blocking)" {
      let all = missing[index].withdrawn.count
      missing[index].withdrawn.removeAll { named.contains($0) && protection($0) == nil }
      missing[index].figures.explained -= all - missing[index].withdrawn.count
    }
    return MadePacks(drafts: drafts + missing, sources: written.sources)
  }

  /// The recipes, with the weights of classes where they rank by usefulness.
  private func weighedRecipes(at time: Date) async throws -> [Recipe] {
    var recipes = try recipes.current()
    guard recipes.contains(where: \.ranking.isUseful) else { return recipes }
    let weights = try await usefulness(time)
    for index in recipes.indices where recipes[index].ranking.isUseful { recipes[index].ranking.classes = weights }
    return recipes
  }

  /// A pack that a publication would make, beside the same pack of the newest one.
  package struct Preview: Sendable {
    package let name: String
    package let changes: ChangeTotals
    /// Whether the pack of the newest publication cannot be read: then all entries count as added.
    package var isFormerDamaged = false
  }

  /// The packs that a publication at this time would make, with the weights of its classes. Nothing is published or stored.
  /// Held numbers that would get a label within the day's budget are not among them.
  package func preview(at time: Date) async throws -> (packs: [Preview], weights: ClassWeights?) {
    let recipes = try await weighedRecipes(at: time)
    // Beside the packs, which may be too large for a temporary folder.
    let files = "\(folder.path)/.preview"
    try PrivateFile.makeFolder(files)
    let lock: FolderLock
    do { lock = try FolderLock(folder: files) } catch { throw error.isHeld ? PublishingError.busy : error }
    defer { withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: files) } }
    // A killed preview has left files.
    for name in try FileManager.default.contentsOfDirectory(atPath: files) where name != ".lock" {
      try FileManager.default.removeItem(atPath: "\(files)/\(name)")
    }
    let content = PackContent(
      store: store, selection: selection, recipes: recipes, sources: sources, temporaryFolder: files,
      review: { [holding] time, connection in
        guard let holding else { return nil }
        let thresholds = try await ThresholdStore.current(on: connection).set
        return try await holding.suspects(by: thresholds, at: time, on: connection, labels: \.keepsLabel)
      }, protection: protection)
    let bench = PackBuild(folder: folder, serial: 0, time: time, former: try folder.manifest()?.manifest)
    let written = try await content.fill(at: time, spool: ListedSpool(path: "\(files)/placed")) { spec in
      try PackWriter(
        path: "\(files)/\(spec.name)", options: .init(kind: spec.recipe.packKind, maximumEntries: spec.recipe.limit))
    } progress: { _, _ in
    }
    let packs = try written.packs.packs.map { pack in
      let former = try bench.formerReader(pack.spec.name, kind: pack.spec.recipe.packKind)
      var walk = try PublicationDiffWalk(
        before: former,
        after: PackReader.open(path: "\(files)/\(pack.spec.name)"), behind: 0)
      var changes = ChangeTotals()
      while let step = try walk.next() { changes.take(step.change?.kind) }
      let known = bench.former[pack.spec.name]
      return Preview(
        name: pack.spec.name, changes: changes,
        isFormerDamaged: former == nil && known?.kind == "\(pack.spec.recipe.packKind)")
    }
    let names = Set(packs.map(\.name))
    let gone = bench.former.values.filter { !names.contains($0.name) }.sorted { $0.name < $1.name }.map {
      Preview(name: $0.name, changes: ChangeTotals(left: Int($0.entries)))
    }
    return (packs + gone, recipes.lazy.compactMap(\.ranking.classes).first)
  }

  /// The most rules without room that are logged; gates have the count of all.
  private static var loggedRules: Int { 10 }

  /// The id of this server; nil if no recipe shares evidence, and for a folder without its first root, whose packs are
  /// published without evidence.
  private func evidenceServer(for recipes: [Recipe]) throws -> ServerID? {
    guard recipes.contains(where: \.sharesEvidence) else { return nil }
    do {
      return try folder.serverID().flatMap(ServerID.init(_:))
    } catch PublishingError.badRoot(let path) {
      logger.error(
        "Publishing without evidence files: the first root is missing or damaged. Restore it from a backup.",
        metadata: ["path": "\(path)"])
      return nil
    }
  }

  private func review(at time: Date, on connection: PostgresConnection) async throws -> BrigadeReview.Outcome? {
    guard let found = try await holding?.review(at: time, on: connection) else { return nil }
    if found.new > 0 || found.ended > 0 {
      logger.notice(
        "Reviewed held numbers",
        metadata: ["new": .stringConvertible(found.new), "ended": .stringConvertible(found.ended)])
    }
    return found
  }

  /// Makes deltas and other formats, checks the gates, signs the manifest, makes it visible and records it.
  func finish(
    _ work: PublicationWork, exempt: Set<Gate>, make: @Sendable (PublicationWork) async throws -> [PackDraft],
    remember: @escaping @Sendable (PostgresConnection, Manifest) async throws -> Void
  ) async throws -> Manifest {
    try folder.clearWork()
    try folder.stage()
    defer { folder.removeStaged() }
    try folder.sweep(newest: work.former, keeping: policy.deltaBases, at: work.request.time)
    let drafts = try await make(work)
    // Without the files of the previous publication, nothing shows what an empty one would lose.
    let mayBeEmpty = work.former != nil || work.previous == nil
    let gates = GateChecker(limits: policy.limits, exempt: exempt).check(drafts.map(\.figures), mayBeEmpty: mayBeEmpty)
      .overruled(by: work.request.overrules)
    guard gates.closed.isEmpty else { throw PublishingError.heldBack(gates) }

    let earlier = try folder.keptManifests().filter { $0.serial < work.serial }
    let bench = DeltaBuild(folder: folder, serial: work.serial, earlier: earlier, bases: policy.deltaBases)
    let formats = FormatBuild(folder: folder, serial: work.serial)
    let evidence = ProvenanceBuild(folder: folder, serial: work.serial, former: work.former)
    let packs = try await inParallel(drafts) { draft -> ManifestPack? in
      guard var pack = draft.pack else { return nil }
      work.progress.say(.makingDeltas(pack: pack.name), 0.7)
      pack.deltas = try bench.deltas(to: pack)
      pack.formats = try formats.files(of: pack, formats: draft.formats)
      if let source = draft.evidence {
        if let file = try evidence.file(of: pack, from: source) {
          pack.formats = (pack.formats + [file]).sorted { $0.format < $1.format }
        } else {
          logger.warning(
            "The pack has no evidence file until the next full publication", metadata: ["pack.name": "\(pack.name)"])
        }
      }
      return pack
    }.compactMap(\.self)
    work.progress.say(.signing, 0.97)
    let manifest = Manifest(
      serial: work.serial, issued: work.request.time, asOf: work.asOf,
      expires: work.request.time.addingTimeInterval(policy.lifetime), previous: work.previous, packs: packs)
    // A run without heartbeats may have been given up, and a later publication may be visible.
    guard try await store.report(work.claim, step: .revealing, percent: 99) else {
      throw PublishingError.superseded(work.serial)
    }
    try folder.place()
    let link = try folder.reveal(manifest, signedBy: work.signing)
    try await recordRevealed(manifest, link, gates, remember)
    return manifest
  }

  /// Records the publication. It is visible already: after a failure here the next run records it.
  private func recordRevealed(
    _ manifest: Manifest, _ link: Manifest.Link, _ gates: [GateRecord],
    _ remember: @escaping @Sendable (PostgresConnection, Manifest) async throws -> Void
  ) async throws {
    do {
      try await record(manifest, link, gates: gates, remember)
    } catch {
      logger.error(
        "Published, but the database has no record of it; the next run adds it",
        metadata: ["publication.serial": .stringConvertible(link.serial), "error": "\(error)"])
    }
    if manifest.packs.allSatisfy({ $0.entries == 0 }), let steps = try? await FirstStepsStore(pool: store.pool).read() {
      let reasons = steps.reasons.map(\.description).joined(separator: ", ")
      logger.notice("The list is empty", metadata: ["reasons": "\(reasons)"])
    }
    logger.info(
      "Published",
      metadata: [
        "publication.serial": .stringConvertible(manifest.serial),
        "pack.entries": .stringConvertible(manifest.packs.reduce(0) { $0 + $1.entries }),
        "size_bytes": .stringConvertible(manifest.packs.reduce(0) { $0 + $1.bytes }),
      ])
  }

  /// Works on two items at a time, because small machines have two cores. Results have the order of the items.
  func inParallel<Item: Sendable, Result: Sendable>(
    _ items: [Item], _ body: @escaping @Sendable (Item) throws -> Result
  ) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      var results: [Result?] = Array(repeating: nil, count: items.count)
      for (index, item) in items.enumerated() {
        if index >= 2, let (done, result) = try await group.next() { results[done] = result }
        group.addTask {
          try Task.checkCancellation()
          return (index, try body(item))
        }
      }
      for try await (done, result) in group { results[done] = result }
      return results.compactMap(\.self)
    }
  }
}
