// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation

/// A pack that was written and read back, before the gates.
struct PackDraft: Sendable {
  let figures: PackStatistics
  /// Its manifest entry without deltas and formats; nil if it could not be read back.
  var pack: ManifestPack?
  /// Whether the pack is unchanged and keeps an earlier publication's file.
  var isCarried = false
  /// Other formats of the pack.
  var formats: [String] = []
  /// Where the pack's evidence file comes from; nil for none.
  var evidence: EvidenceSource?
}

extension PackBuild {
  /// Reads a pack back, compares it with the previous one, and keeps the previous file if nothing has changed.
  /// - Parameter protection: returns why a number is protected; nil for all other numbers.
  func examine(
    _ spec: PackSpec, _ summary: PackSummary, protection: (Int64) -> String?
  ) throws -> PackDraft {
    let file = PublicationFolder.packFile(name: spec.name, serial: serial)
    let before = former[spec.name]
    var figures = PackStatistics(
      name: spec.name, cap: min(spec.recipe.limit, PackLimits.callDirectoryEntries), entries: summary.entries,
      bytes: summary.bytes, formerEntries: before?.entries, formerBytes: before?.bytes ?? 0)
    do {
      let reader = try PackReader.open(path: folder.stagedPath(file))
      try reader.verify()
      guard reader.header.entryCount == summary.entries, try reader.digest() == summary.sha256 else {
        throw PackError(
          .malformed, "the pack is not what was written", expected: "\(summary.entries) entries",
          got: "\(reader.header.entryCount)")
      }
      try compare(reader, with: formerReader(spec.name, kind: spec.recipe.packKind), protection, into: &figures)
      let content = try reader.contentDigest().hex
      if let before, before.contentSHA256 == content, before.kind == "\(spec.recipe.packKind)",
        before.region == spec.region, FileManager.default.fileExists(atPath: folder.filePath(before.path))
      {
        unlink(folder.stagedPath(file))
        return PackDraft(figures: figures, pack: before, isCarried: true, formats: spec.recipe.formats)
      }
      let pack = ManifestPack(
        name: spec.name, kind: "\(spec.recipe.packKind)", region: spec.region, shard: spec.shard, serial: serial,
        entries: summary.entries, first: summary.first, last: summary.last, bytes: summary.bytes,
        sha256: summary.sha256.hex, contentSHA256: content, path: file)
      return PackDraft(figures: figures, pack: pack, formats: spec.recipe.formats)
    } catch let error as PackError {
      figures.damage = "\(error)"
      return PackDraft(figures: figures, pack: nil)
    }
  }

  /// Reads both packs once and checks the order, protected numbers, and added and removed numbers.
  private func compare(
    _ new: PackReader, with old: PackReader?, _ protection: (Int64) -> String?, into figures: inout PackStatistics
  ) throws {
    let before = try old?.makeCursor()
    var hasBefore = try before?.next() ?? false
    let cursor = try new.makeCursor()
    var last: Int64 = 0
    while try cursor.next() {
      let number = cursor.number
      if number <= last, figures.disorder == nil {
        figures.disorder = PackStatistics.Disorder(number: number, previous: last)
      }
      last = number
      if protection(number) != nil, figures.protected.count < Self.namedHits { figures.protected.append(number) }
      guard let before else { continue }
      while hasBefore, before.number < number {
        figures.removed += 1
        hasBefore = try before.next()
      }
      if hasBefore, before.number == number {
        hasBefore = try before.next()
      } else {
        figures.added += 1
      }
    }
    while hasBefore, let before {
      figures.removed += 1
      hasBefore = try before.next()
    }
  }

  /// Maximum of protected numbers in the record.
  private static var namedHits: Int { 5 }
}
