// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Curation
import Foundation
import Storage
import Synchronization

/// Applies revocations to a pack and removes numbers that are protected by now.
final class RevocationEdits: Sendable {
  /// The last action for each number, ascending.
  private let words: [(number: Int64, action: Revocation.Action)]
  private let recipes: [Recipe]
  private let protection: ProtectionLookup
  private let gone = Mutex<Set<Int64>>([])

  /// The protected numbers that were removed from packs.
  var dropped: Set<Int64> { gone.withLock { $0 } }

  init(_ revocations: [Revocation], recipes: [Recipe], protection: ProtectionLookup) {
    var last: [Int64: Revocation.Action] = [:]
    for revocation in revocations { last[revocation.number] = revocation.action }
    words = last.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    self.recipes = recipes
    self.protection = protection
  }

  func changes(_ pack: ManifestPack, in folder: PublicationFolder) throws -> Bool {
    let isDirectory = recipe(of: pack)?.source == .directory
    // A number that only a directory names was never listed. It keeps its name unless the revocation removes it.
    if isDirectory, words.allSatisfy({ $0.action != .remove }) { return false }
    let reader = try PackReader.open(path: folder.filePath(pack.path))
    let cursor = try reader.makeCursor()
    var room = try room(in: pack)
    for word in words {
      let held = try cursor.lookup(word.number)
      switch word.action {
      case .remove:
        if held != nil { return true }
      case .unlist:
        if held != nil, !isDirectory { return true }
      case .add(let category, let label):
        guard let spec = spec(of: pack), takes(spec) else { continue }
        if let held {
          if spec.recipe.packKind != .blocking, held.label != (label ?? category.label) { return true }
        } else if room > 0 {
          room -= 1
          return true
        }
      }
    }
    return isDirectory ? false : try holdsProtected(reader)
  }

  /// Whether a number of the pack is protected by now. Such a number leaves the pack with the next publication,
  /// whichever number that is about.
  private func holdsProtected(_ pack: PackReader) throws -> Bool {
    var ranges = try PackRanges(pack)
    while let numbers = try ranges.next() {
      if protection.first(numbers) != nil { return true }
    }
    return false
  }

  /// Copies the pack with the changes. A number without room waits for the next full publication.
  func apply(to base: PackReader, _ spec: PackSpec, _ writer: PackWriter) throws {
    var waiting = words[...]
    var room = spec.recipe.limit - base.header.entryCount
    var ranges = try PackRanges(base)
    // A range is copied up to the next number of a revocation or of a protection.
    var rest = try ranges.next()
    while let numbers = rest {
      while let word = waiting.first, word.number < numbers.lowerBound {
        waiting.removeFirst()
        try add(word, spec, writer, &room)
      }
      let stop = [waiting.first?.number, protection.first(numbers)].compactMap(\.self).min() ?? .max
      if stop > numbers.lowerBound {
        let copied = numbers.lowerBound...min(numbers.upperBound, stop - 1)
        try ranges.label.withUnsafeBytes { try writer.append(copied, roles: ranges.roles, labelUTF8: $0) }
        rest = copied.upperBound < numbers.upperBound ? stop...numbers.upperBound : try ranges.next()
        continue
      }
      let number = numbers.lowerBound
      // The number was protected after the pack was made. The gate would refuse the publication with it.
      let isProtected = protection(number) != nil
      if isProtected { _ = gone.withLock { $0.insert(number) } }
      var (isKept, isAdded) = (!isProtected, false)
      if let word = waiting.first, word.number == number {
        waiting.removeFirst()
        if takes(spec), case .add = word.action, !isProtected {
          var one = 1
          try add(word, spec, writer, &one)
          isAdded = true
        } else if word.action == .remove || word.action == .unlist && spec.recipe.source != .directory {
          isKept = false
        }
      }
      if !isKept {
        room += 1
      } else if !isAdded {
        try ranges.label.withUnsafeBytes { try writer.append(number...number, roles: ranges.roles, labelUTF8: $0) }
      }
      rest = number < numbers.upperBound ? number + 1...numbers.upperBound : try ranges.next()
    }
    for word in waiting { try add(word, spec, writer, &room) }
  }

  private func add(
    _ word: (number: Int64, action: Revocation.Action), _ spec: PackSpec, _ writer: PackWriter, _ room: inout Int
  ) throws {
    guard case .add(let category, let label) = word.action, takes(spec), room > 0 else { return }
    room -= 1
    switch spec.recipe.packKind {
    case .blocking: try writer.append(word.number)
    case .identification, .both: try writer.append(word.number, label: label ?? category.label)
    }
  }

  /// The treatment that the packs of a publication give to the added numbers; none for a number that no pack has.
  func treatments(in manifest: Manifest, of folder: PublicationFolder) throws -> [Int64: ListedNumber.Treatment] {
    let added = words.compactMap { if case .add = $0.action { $0.number } else { nil } }
    return try treatments(of: added, in: manifest, of: folder)
  }

  /// The treatment that the packs give to these numbers, without packs of a directory.
  func treatments(
    of numbers: [Int64], in manifest: Manifest, of folder: PublicationFolder
  ) throws -> [Int64: ListedNumber.Treatment] {
    var treatments: [Int64: ListedNumber.Treatment] = [:]
    guard !numbers.isEmpty else { return treatments }
    for pack in manifest.packs {
      guard let spec = spec(of: pack), spec.recipe.source != .directory else { continue }
      let cursor = try PackReader.open(path: folder.filePath(pack.path)).makeCursor()
      for number in numbers where try cursor.lookup(number) != nil {
        treatments[number] = spec.recipe.kind == .blocking ? .block : treatments[number] ?? .identify
      }
    }
    return treatments
  }

  /// Where the evidence file of the new pack comes from; nil if the recipe does not share evidence or the former
  /// publication has no file.
  ///
  /// The row of a number that is blocked gets the category of the decision, even if the pack had the number before.
  func evidence(of pack: ManifestPack) -> EvidenceSource? {
    guard let spec = spec(of: pack), spec.recipe.sharesEvidence,
      pack.formats.contains(where: { $0.format == ProvenanceHeader.format })
    else { return nil }
    return .revised(additions: additions(to: spec), hasNames: spec.recipe.source != .reports)
  }

  /// The same for a pack that does not change. Its file changes only with the category of a number that it has.
  func evidence(ofUnchanged pack: ManifestPack, in folder: PublicationFolder) throws -> EvidenceSource? {
    guard let source = evidence(of: pack), let spec = spec(of: pack) else { return nil }
    let cursor = try PackReader.open(path: folder.filePath(pack.path)).makeCursor()
    let hasAddition = try additions(to: spec).keys.sorted().contains { try cursor.lookup($0) != nil }
    return hasAddition ? source : .kept
  }

  /// The categories of the numbers that are blocked.
  private func additions(to spec: PackSpec) -> [Int64: ReportCategory] {
    guard takes(spec) else { return [:] }
    var additions: [Int64: ReportCategory] = [:]
    for word in words {
      if case .add(let category, _) = word.action { additions[word.number] = category }
    }
    return additions
  }

  /// Nil for a kind that recipes cannot make.
  func spec(of pack: ManifestPack) -> PackSpec? {
    let kind: Recipe.Kind
    switch pack.kind {
    case "blocking": kind = .blocking
    case "identification": kind = .identification
    default: return nil
    }
    let known = recipe(of: pack).flatMap { $0.kind == kind ? $0 : nil }
    return PackSpec(
      name: pack.name, recipe: known ?? Recipe(name: pack.name, kind: kind, limit: Recipe.maxEntries),
      region: pack.region, shard: pack.shard)
  }

  /// The recipe of the pack's name; nil if it no longer exists.
  private func recipe(of pack: ManifestPack) -> Recipe? {
    let name = pack.shard.map { shard in String(pack.name.dropLast(".\(shard)".count)) } ?? pack.name
    return recipes.first { recipe in
      recipe.name == name
        || pack.region.map { recipe.name.replacing("{region}", with: $0.lowercased()) == name } ?? false
    }
  }

  /// Whether an added number belongs to the pack. Packs by region, shard, category or another ranking than heat get it
  /// with the next full publication.
  private func takes(_ spec: PackSpec) -> Bool {
    spec.region == nil && spec.shard == nil
      && recipes.contains {
        $0.name == spec.name && $0.area == .everywhere && $0.categories == nil && $0.ranking == .heat
          && $0.source != .directory
      }
  }

  private func room(in pack: ManifestPack) throws -> Int {
    (recipe(of: pack)?.limit ?? Recipe.maxEntries) - pack.entries
  }
}
