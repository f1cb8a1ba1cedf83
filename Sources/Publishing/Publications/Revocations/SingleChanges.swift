import CallerPack
import CallerPackBuilder
import Curation
import Foundation
import Storage
import Synchronization

/// What revocations do to a pack, and what protection does to it by the way.
final class SingleChanges: Sendable {
  /// By number, the last word on it; ascending.
  private let words: [(number: Int64, action: Revocation.Action)]
  private let recipes: [Recipe]
  private let protection: @Sendable (Int64) -> String?
  private let gone = Mutex<Set<Int64>>([])

  /// The protected numbers that packs were copied without.
  var dropped: Set<Int64> { gone.withLock { $0 } }

  init(_ revocations: [Revocation], recipes: [Recipe], protection: @escaping @Sendable (Int64) -> String?) {
    var last: [Int64: Revocation.Action] = [:]
    for revocation in revocations { last[revocation.number] = revocation.action }
    words = last.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    self.recipes = recipes
    self.protection = protection
  }

  /// Whether a pack is another after this.
  func changes(_ pack: ManifestPack, in folder: PublicationFolder) throws -> Bool {
    let isDirectory = recipe(of: pack)?.source == .directory
    // What a directory alone names was never listed: its owner's name stays, unless it is revoked.
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

  /// Whether a number of the pack is protected by now. What was published before it was protected goes out with the first
  /// publication that follows, be it of another number.
  private func holdsProtected(_ pack: PackReader) throws -> Bool {
    let cursor = try pack.makeCursor()
    while try cursor.next() {
      if protection(cursor.number) != nil { return true }
    }
    return false
  }

  /// Copies the pack with the changes; a number for which there is no room waits for the night.
  func apply(to base: PackReader, _ spec: PackSpec, _ writer: PackWriter) throws {
    var waiting = words[...]
    var room = spec.recipe.limit - base.header.entryCount
    let cursor = try base.makeCursor()
    while try cursor.next() {
      while let word = waiting.first, word.number < cursor.number {
        waiting.removeFirst()
        try add(word, spec, writer, &room)
      }
      // Protected since that pack was made: the gate would hold back the whole publication.
      let isProtected = protection(cursor.number) != nil
      if isProtected { _ = gone.withLock { $0.insert(cursor.number) } }
      if let word = waiting.first, word.number == cursor.number {
        waiting.removeFirst()
        if takes(spec), case .add = word.action, !isProtected {
          var one = 1
          try add(word, spec, writer, &one)
          continue
        }
        if word.action == .remove || word.action == .unlist && spec.recipe.source != .directory {
          room += 1
          continue
        }
      }
      if isProtected {
        room += 1
        continue
      }
      var failure: PackError?
      cursor.withLabel { label in
        do throws(PackError) {
          try writer.append(cursor.number, roles: cursor.roles, labelUTF8: label)
        } catch { failure = error }
      }
      if let failure { throw failure }
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

  /// What the pack was made as; nil for a kind that recipes do not make.
  func spec(of pack: ManifestPack) -> PackSpec? {
    let kind: Recipe.Kind
    switch pack.kind {
    case "blocking": kind = .blocking
    case "identification": kind = .identification
    default: return nil
    }
    let known = recipe(of: pack).flatMap { $0.kind == kind ? $0 : nil }
    return PackSpec(
      name: pack.name, recipe: known ?? Recipe(name: pack.name, kind: kind, limit: Recipe.mostEntries),
      region: pack.region, shard: pack.shard)
  }

  /// The recipe that makes packs of this name; nil when there is none any more.
  private func recipe(of pack: ManifestPack) -> Recipe? {
    let name = pack.shard.map { shard in String(pack.name.dropLast(".\(shard)".count)) } ?? pack.name
    return recipes.first { recipe in
      recipe.name == name
        || pack.region.map { recipe.name.replacing("{region}", with: $0.lowercased()) == name } ?? false
    }
  }

  /// Whether a listed number belongs into a pack: those of regions, shards, some categories or another ranking than heat
  /// wait for the night, which knows them.
  private func takes(_ spec: PackSpec) -> Bool {
    spec.region == nil && spec.shard == nil
      && recipes.contains {
        $0.name == spec.name && $0.area == .everywhere && $0.categories == nil && $0.ranking == .heat
          && $0.source != .directory
      }
  }

  private func room(in pack: ManifestPack) throws -> Int {
    (recipe(of: pack)?.limit ?? Recipe.mostEntries) - pack.entries
  }
}
