// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// One file of a set, and the way to get it.
struct FetchItem: Sendable {
  enum Way: Sendable {
    /// The current set has it, perhaps under another name.
    case carry(HeldFile)
    /// By a delta of the current set's pack, or complete.
    case pack(PackUpdate, base: HeldFile?)
    /// A file of another format, which is always complete.
    case other
  }

  /// Its name in the set.
  let name: String
  /// Its path at the source.
  let path: String
  let bytes: Int
  let sha256: String
  let way: Way
  let update: PackUpdate
  /// The format; nil for the pack itself.
  let format: String?

  var isHeld: Bool {
    if case .carry = way { true } else { false }
  }
}

/// The wanted files of a publication.
public struct FetchChoice: Sendable {
  /// The names of wanted packs; nil for all.
  let packs: Set<String>?
  private let formats: Set<String>

  /// - Parameters:
  ///   - packs: the names of wanted packs; nil for all.
  ///   - formats: further formats of these packs that are wanted, where available.
  public init(packs: Set<String>? = nil, formats: Set<String> = []) {
    self.packs = packs
    self.formats = formats
  }

  /// - Throws: `UpdateError.noSuchPack`, `FetchError.noSuchFormat`.
  func items(of manifest: Manifest, held: [String: HeldFile]) throws -> [FetchItem] {
    let digests = Dictionary(
      held.compactMap { name, file in
        name.hasSuffix(Self.suffix) ? (String(name.dropLast(Self.suffix.count)), file) : nil
      },
      uniquingKeysWith: { first, _ in first })
    let updates = try UpdatePlanner.plan(manifest, wanted: packs, held: digests.mapValues(\.digest))
    let offered = Set(updates.flatMap { $0.pack.formats.map(\.format) })
    if let missing = formats.subtracting(offered).sorted().first {
      throw FetchError.noSuchFormat(missing, offered: offered.sorted())
    }
    return updates.flatMap { update in
      [pack(update, digests[update.pack.name])] + others(update, held)
    }
  }

  private static let suffix = ".rfpack"

  private func pack(_ update: PackUpdate, _ base: HeldFile?) -> FetchItem {
    let way: FetchItem.Way =
      if update.step == .none, let base { .carry(base) } else { .pack(update, base: base) }
    return FetchItem(
      name: update.pack.name + Self.suffix, path: update.pack.path, bytes: update.pack.bytes,
      sha256: update.pack.sha256, way: way, update: update, format: nil)
  }

  private func others(_ update: PackUpdate, _ held: [String: HeldFile]) -> [FetchItem] {
    update.pack.formats.filter { formats.contains($0.format) }.map { file in
      // The extension of the name at the source: csv, csv.gz, sqlite.
      let stem = file.path.split(separator: "/").last ?? ""
      let ending = stem.dropFirst(update.pack.name.count).drop { $0 != "." }
      let name = "\(update.pack.name).\(file.format)\(ending == ".\(file.format)" ? "" : String(ending))"
      let former = held[name].flatMap { $0.digest.hex == file.sha256 ? $0 : nil }
      return FetchItem(
        name: name, path: file.path, bytes: file.bytes, sha256: file.sha256,
        way: former.map { .carry($0) } ?? .other, update: update, format: file.format)
    }
  }
}
