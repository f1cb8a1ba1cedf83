// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation

/// Makes the deltas to a publication's packs.
struct DeltaBuild: Sendable {
  let folder: PublicationFolder
  let serial: Int64
  /// Manifests of earlier publications, newest first.
  let earlier: [Manifest]
  /// The number of earlier versions of a pack from which deltas are made.
  let bases: Int

  /// Makes deltas to a pack from its last different files. A delta that is not smaller than the pack is deleted. An
  /// unchanged pack keeps its deltas, if their bases are still among the last. Files are counted instead of
  /// publications, so that many small publications do not remove deltas.
  func deltas(to pack: ManifestPack) throws -> [ManifestPack.Delta] {
    var bases: [ManifestPack] = []
    for manifest in earlier where bases.count < self.bases {
      guard let base = manifest.packs.first(where: { $0.name == pack.name }), base.kind == pack.kind,
        base.sha256 != pack.sha256, !bases.contains(where: { $0.sha256 == base.sha256 })
      else { continue }
      bases.append(base)
    }
    guard pack.serial == serial else {
      return pack.deltas.filter { delta in bases.contains { $0.sha256 == delta.fromSHA256 } }
    }
    let target = try PackReader.open(path: folder.stagedPath(pack.path))
    return try bases.compactMap { try delta(from: $0, to: pack, target) }
  }

  private func delta(
    from base: ManifestPack, to pack: ManifestPack, _ target: PackReader
  ) throws -> ManifestPack.Delta? {
    // If a base is missing or damaged, its readers download the full pack.
    guard let reader = try? PackReader.open(path: folder.filePath(base.path)), try reader.digest().hex == base.sha256
    else { return nil }
    let file = PublicationFolder.deltaFile(name: pack.name, from: base.serial, to: serial)
    let summary = try DeltaBuilder.build(from: reader, to: target, out: folder.stagedPath(file))
    guard summary.bytes < pack.bytes else {
      unlink(folder.stagedPath(file))
      return nil
    }
    return ManifestPack.Delta(
      fromSerial: base.serial, fromSHA256: base.sha256, bytes: summary.bytes, sha256: summary.sha256.hex, path: file)
  }
}
