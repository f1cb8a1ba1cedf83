// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Curation
import Foundation

/// Writes, reads back and compares the packs of one publication.
struct PackBuild: Sendable {
  let folder: PublicationFolder
  let serial: Int64
  let time: Date
  /// Packs of the previous publication, by name.
  let former: [String: ManifestPack]

  init(folder: PublicationFolder, serial: Int64, time: Date, former: Manifest?) {
    self.folder = folder
    self.serial = serial
    self.time = time
    self.former = Dictionary(uniqueKeysWithValues: (former?.packs ?? []).map { ($0.name, $0) })
  }

  /// Opens a staged pack under its final name.
  ///
  /// It reuses the previous pack's dictionary, so that a delta between the two does not contain one.
  func openWriter(_ spec: PackSpec) throws -> PackWriter {
    var dictionary = try formerReader(spec.name, kind: spec.recipe.packKind)
    if spec.recipe.profile == .lean, dictionary?.header.profile != .lean { dictionary = nil }
    return try PackWriter(
      path: folder.stagedPath(PublicationFolder.packFile(name: spec.name, serial: serial)),
      options: options(spec, dictionary: dictionary))
  }

  private func options(_ spec: PackSpec, dictionary: PackReader?) -> PackWriter.Options {
    PackWriter.Options(
      kind: spec.recipe.packKind, region: spec.region ?? "", serial: UInt64(serial),
      createdAt: Int64(time.timeIntervalSince1970), profile: spec.recipe.profile == .lean ? .lean : .standard,
      maximumEntries: max(spec.recipe.limit, PackLimits.callDirectoryEntries),
      dictionary: dictionary?.header.dictionaryStoredBytes ?? 0 > 0 ? dictionary : nil)
  }

  /// Opens the pack of the previous publication; nil if there is none of this kind or it is damaged. The new pack is
  /// then written without it.
  func formerReader(_ name: String, kind: PackKind) throws -> PackReader? {
    guard let pack = former[name], pack.kind == "\(kind)",
      let reader = try? PackReader.open(path: folder.filePath(pack.path)),
      try reader.digest().hex == pack.sha256
    else { return nil }
    return reader
  }

  /// Tries a new dictionary for a pack, because labels change and an old dictionary fits them less over time. Each pack
  /// has its trial in one of 14 publications; the names distribute the trials.
  ///
  /// The new dictionary is used if the pack shrinks by more than the dictionary's size. Then it pays even for a client
  /// that downloads one delta and one full pack.
  func refit(_ spec: PackSpec, _ summary: PackSummary) throws -> PackSummary {
    let place = Int64(spec.name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 1_009 })
    guard (serial + place) % Self.trialPeriod == 0, spec.recipe.packKind != .blocking,
      try formerReader(spec.name, kind: spec.recipe.packKind) != nil
    else { return summary }
    let path = folder.stagedPath(PublicationFolder.packFile(name: spec.name, serial: serial))
    let trial = "\(folder.path)/.work/\(spec.name)-trial"
    defer { unlink(trial) }
    let writer = try PackWriter(path: trial, options: options(spec, dictionary: nil))
    try writer.append(contentsOf: PackReader.open(path: path))
    let fitted = try writer.finish()
    let dictionary = try PackReader.open(path: trial).header.dictionaryStoredBytes
    guard summary.bytes - fitted.bytes > dictionary else { return summary }
    try DurableFile.move(trial, to: path)
    return fitted
  }

  private static let trialPeriod: Int64 = 14
}

extension Recipe {
  var packKind: PackKind {
    switch kind {
    case .blocking: .blocking
    case .identification: .identification
    }
  }
}

/// A pack that was written and read back, before the gates.
struct PackDraft: Sendable {
  var figures: PackStatistics
  /// Its manifest entry without deltas and formats; nil if it could not be read back.
  var pack: ManifestPack?
  /// Whether the pack is unchanged and keeps an earlier publication's file.
  var isCarried = false
  /// Numbers of the previous pack that left for a reason, ascending.
  var withdrawn: [Int64] = []
  var formats: [String] = []
  var evidence: EvidenceSource?
}

extension PackBuild {
  /// Reads a pack back, compares it with the previous one, and keeps the previous file if nothing has changed.
  /// - Parameters:
  ///   - protection: returns why a number is protected; nil for all other numbers.
  ///   - changes: the reasons of changes; nil for a revocation.
  func examine(
    _ spec: PackSpec, _ summary: PackSummary, protection: ProtectionLookup, changes: ExplainedChanges? = nil
  ) throws -> PackDraft {
    let file = PublicationFolder.packFile(name: spec.name, serial: serial)
    let before = former[spec.name]
    var figures = PackStatistics(
      name: spec.name, cap: spec.recipe.limit, entries: summary.entries,
      bytes: summary.bytes, formerEntries: before?.entries, formerBytes: before?.bytes ?? 0)
    var withdrawn: [Int64] = []
    do {
      let reader = try PackReader.open(path: folder.stagedPath(file))
      try reader.header.checkContent()
      try reader.verify()
      guard reader.header.entryCount == summary.entries, try reader.digest() == summary.sha256 else {
        throw PackError(
          .malformed, "the pack is not what was written", expected: "\(summary.entries) entries",
          got: "\(reader.header.entryCount)")
      }
      let former = try formerReader(spec.name, kind: spec.recipe.packKind)
      withdrawn = try compare(reader, with: former, protection, changes, into: &figures)
      let content = try reader.contentDigest().hex
      if let before, before.contentSHA256 == content, before.kind == "\(spec.recipe.packKind)",
        before.region == spec.region, FileManager.default.fileExists(atPath: folder.filePath(before.path))
      {
        unlink(folder.stagedPath(file))
        return PackDraft(
          figures: figures, pack: before, isCarried: true, withdrawn: withdrawn, formats: spec.recipe.formats)
      }
      let pack = ManifestPack(
        name: spec.name, kind: "\(spec.recipe.packKind)", region: spec.region, shard: spec.shard, serial: serial,
        entries: summary.entries, first: summary.first, last: summary.last, bytes: summary.bytes,
        sha256: summary.sha256.hex, contentSHA256: content, path: file)
      return PackDraft(figures: figures, pack: pack, withdrawn: withdrawn, formats: spec.recipe.formats)
    } catch let error as PackError {
      figures.damage = "\(error)"
      return PackDraft(figures: figures, pack: nil, withdrawn: withdrawn)
    }
  }

  /// The packs of the previous publication that this one lacks.
  func missing(besides names: Set<String>, _ changes: ExplainedChanges) throws -> [PackDraft] {
    try former.values.filter { !names.contains($0.name) }.sorted { $0.name < $1.name }.map { pack in
      var draft = PackDraft(
        figures: PackStatistics(
          name: pack.name, entries: nil, formerEntries: pack.entries, formerBytes: pack.bytes))
      guard let reader = try? PackReader.open(path: folder.filePath(pack.path)), var ranges = try? PackRanges(reader)
      else { return draft }
      while let numbers = try ranges.next() {
        let left = try leave(numbers, changes)
        draft.withdrawn += left.withdrawn
        draft.figures.explained += left.explained
        draft.figures.formerRuled += Self.count(changes.either, in: numbers)
      }
      return draft
    }
  }

  /// Reads both packs once, range by range, and checks the order, protected numbers, and added and removed numbers.
  /// - Returns: the removed numbers that left for a reason, ascending.
  private func compare(
    _ new: PackReader, with old: PackReader?, _ protection: ProtectionLookup, _ changes: ExplainedChanges?,
    into figures: inout PackStatistics
  ) throws -> [Int64] {
    var ranges = try PackRanges(new)
    var former = try old.map { try PackRanges($0) }
    var (after, before) = (try ranges.next(), try former?.next())
    var last: Int64 = 0
    var withdrawn: [Int64] = []
    func check(_ numbers: ClosedRange<Int64>) {
      if numbers.lowerBound <= last, figures.disorder == nil {
        figures.disorder = PackStatistics.Disorder(number: numbers.lowerBound, previous: last)
      }
      last = numbers.upperBound
      if figures.protected.count < Self.namedHits, let hit = protection.first(numbers) { figures.protected.append(hit) }
      figures.ruled += Self.count(changes?.either ?? [], in: numbers)
    }
    if let after { check(after) }
    while after != nil || before != nil {
      let (start, formerStart) = (after?.lowerBound ?? .max, before?.lowerBound ?? .max)
      let end = start == formerStart ? Int64.max : max(start, formerStart) - 1
      let upper = min(
        end, start <= formerStart ? after?.upperBound ?? .max : .max,
        formerStart <= start ? before?.upperBound ?? .max : .max)
      let numbers = min(start, formerStart)...upper
      if start < formerStart, old != nil {
        for part in RangeMerge.subtract((changes?.ruled.now ?? []).overlapping(numbers), from: numbers) {
          figures.added += part.count
          if let changes { figures.expected += part.count { changes.expectsAddition(of: $0) } }
        }
      } else if formerStart < start {
        let left = try leave(numbers, changes)
        withdrawn += left.withdrawn
        figures.removed += left.removed
        figures.explained += left.explained
      }
      if formerStart <= start { figures.formerRuled += Self.count(changes?.either ?? [], in: numbers) }
      if start <= formerStart {
        if let rest = after.flatMap({ $0.upperBound > upper ? upper + 1...$0.upperBound : nil }) {
          after = rest
        } else {
          after = try ranges.next()
          if let after { check(after) }
        }
      }
      if formerStart <= start {
        before = try before.flatMap { $0.upperBound > upper ? upper + 1...$0.upperBound : nil } ?? former?.next()
      }
    }
    return withdrawn
  }

  /// Judges numbers that left a pack. Numbers of ended rules are not counted, and among few of them those that left for
  /// another reason are withdrawn.
  private func leave(
    _ numbers: ClosedRange<Int64>, _ changes: ExplainedChanges?
  ) throws -> (removed: Int, explained: Int, withdrawn: [Int64]) {
    guard let changes else { return (numbers.count, 0, []) }
    let ruled = changes.ruled.before.overlapping(numbers)
    var (removed, withdrawn): (Int, [Int64]) = (0, [])
    for part in RangeMerge.subtract(ruled, from: numbers) {
      removed += part.count
      withdrawn += part.filter(changes.explainsRemoval)
    }
    let explained = withdrawn.count
    for part in ruled.map({ $0.clamped(to: numbers) }) where part.count <= Self.ruledHits {
      withdrawn += part.filter(changes.explainsRemoval)
    }
    return (removed, explained, withdrawn.sorted())
  }

  /// Maximum of adjacent numbers that left with a rule and are withdrawn singly.
  private static var ruledHits: Int { 10_000 }

  /// How many numbers of a range are in other ranges.
  private static func count(_ ranges: [ClosedRange<Int64>], in numbers: ClosedRange<Int64>) -> Int {
    ranges.overlapping(numbers).reduce(0) { $0 + $1.clamped(to: numbers).count }
  }

  /// Maximum of protected numbers in the record.
  private static var namedHits: Int { 5 }
}
