// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Logging
import PostgreSQL
import Storage

extension Publisher {
  /// Ends the run of a process that died. Under the folder's lock, a claim in the folder can only be such a run's.
  func settleDeadRun() async throws {
    guard let claim = PendingClaim.read(folder) else { return }
    // A run of this process that could not store its end has told its cause.
    let event =
      failures.isFailing
      ? nil : PublicationFailures.event(.interrupted, CancellationError(), after: claim.serial, at: Date())
    try await store.end(claim, as: .failed, failure: .processEnded, event: event)
    PendingClaim.forget(in: folder)
  }

  /// Brings folder and database into agreement about the newest publication.
  ///
  /// A publication counts if its manifest is in the folder. If the process died before the database recorded it, this
  /// does.
  /// - Returns: the publication that the next one follows.
  func heal(_ former: (manifest: Manifest, link: Manifest.Link)?) async throws -> Manifest.Link? {
    let recorded = try await store.latest()
    let known = recorded.flatMap { row in
      PackDigest(row.manifestSHA256).map { Manifest.Link(serial: row.serial, sha256: $0.hex) }
    }
    guard let former else {
      if let known {
        warn(
          "The folder has no publication, but the database has one; servers that publish must share one folder", known)
      }
      return known
    }
    guard let known else {
      try await record(former.manifest, former.link, gates: []) { try await list($1, on: $0) }
      return former.link
    }
    if former.link == known { return known }
    if former.link.serial > known.serial {
      try await record(former.manifest, former.link, gates: []) { try await list($1, on: $0) }
      return former.link
    }
    guard former.link.serial < known.serial else { throw StorageError.serialTaken(known.serial) }
    // Made in another folder, or this one was put back from a backup: clients have seen the later one.
    warn("The folder is older than the database; servers that publish must share one folder", known)
    return known
  }

  private func warn(_ text: String, _ known: Manifest.Link) {
    logger.warning("\(text)", metadata: ["publication.serial": .stringConvertible(known.serial)])
  }

  /// Records a visible publication in the database.
  func record(
    _ manifest: Manifest, _ link: Manifest.Link, gates: [GateRecord],
    _ remember: @escaping @Sendable (PostgresConnection, Manifest) async throws -> Void
  ) async throws {
    guard let digest = PackDigest(hex: link.sha256) else { throw PublishingError.badManifest(folder.manifestPath) }
    let packs = manifest.packs.map { pack in
      PublishedPack(
        name: pack.name, kind: pack.kind, packSerial: pack.serial, entries: Int64(pack.entries),
        bytes: Int64(pack.bytes),
        deltaBytes: pack.deltas.first { $0.fromSerial == manifest.previous?.serial }.map { Int64($0.bytes) })
    }
    try await store.record(
      Publication(
        serial: link.serial, publishedAt: Date(), asOf: manifest.asOf, manifestSHA256: digest.bytes),
      packs: packs, gates: gates
    ) { connection in
      try await remember(connection, manifest)
      try await policy.webhooks.announce(manifest, link, on: connection)
    }
    ListedSpool(folder: folder, serial: link.serial).remove()
  }

  /// Stores the listings of a visible publication, if the folder still has their file.
  func list(_ manifest: Manifest, on connection: PostgresConnection) async throws {
    let spool = ListedSpool(folder: folder, serial: manifest.serial)
    guard spool.isThere else { return }
    try await PublicationStore.replaceListings(
      with: spool, serial: manifest.serial, at: manifest.issued, on: connection)
    try await ListedRangeStore.replace(
      with: try spool.ranges(), serial: manifest.serial, at: manifest.issued, on: connection)
  }
}
