// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import PackDatabases
import PackFormats
import PhoneNumbers

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

/// Writes a publication's packs in the other formats of their recipes.
struct FormatBuild: Sendable {
  let folder: PublicationFolder
  let serial: Int64

  /// Returns the files in these formats and writes missing ones. An unchanged pack has its files already.
  /// - Throws: `PackFormatError` for an entry that a format cannot represent; this stops the publication.
  func files(of pack: ManifestPack, formats: [String]) throws -> [ManifestPack.File] {
    try Set(formats).sorted().compactMap { name in
      if let file = pack.formats.first(where: { $0.format == name }) { return file }
      guard let format = ListFormat(rawValue: name), pack.entries > 0 else { return nil }
      let path = "formats/\(pack.name)-\(pack.serial).\(format.fileExtension)"
      let file = folder.stagedPath(path)
      let source = pack.serial == serial ? folder.stagedPath(pack.path) : folder.filePath(pack.path)
      let reader = try PackReader.open(path: source)
      let writer = try format.writer(to: .file(URL(filePath: file)), options: ExportOptions(for: pack, reader.header))
      try ListEntry.forEach(of: reader, writer.append)
      _ = try writer.finish()
      return ManifestPack.File(
        format: name, bytes: try DurableFile.length(file), sha256: try PackDigest.ofFile(file).hex, path: path)
    }
  }
}

extension ExportOptions {
  init(for pack: ManifestPack, _ header: PackHeader) {
    self.init()
    listName = "Ringfence \(pack.name)"
    serial = pack.serial
    time = header.createdAt
    hasOneLength = { NumberingPlan.lengths(of: $0) == [$1] }
  }
}
