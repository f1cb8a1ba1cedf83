// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// One file of a set, and the way to get it.
struct FetchItem: Sendable {
  enum Way: Sendable {
    /// The current set has it, perhaps under another name.
    case carry(HeldFile)
    case delta(PackUpdate, base: HeldFile)
    case whole
  }

  /// Its name in the set.
  let name: String
  /// Its path at the source.
  let path: String
  let bytes: Int
  let sha256: String
  let way: Way
  /// The pack of the file.
  let update: PackUpdate
  /// The format; nil for the pack itself.
  let format: String?

  var isHeld: Bool {
    if case .carry = way { true } else { false }
  }

  /// - Throws: `UpdateError`.
  func check(_ path: String) throws {
    if format == nil { return try update.check(packAt: path) }
    let source = try PackDigest.ofFile(path)
    guard source.hex == sha256 else {
      throw UpdateError.wrongFile(path: self.path, expected: "SHA-256 \(sha256)", got: source.hex)
    }
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
      switch (update.step, base) {
      case (.none, .some(let base)): .carry(base)
      case (.delta, .some(let base)): .delta(update, base: base)
      default: .whole
      }
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
      let isHeld = held[name]?.digest.hex == file.sha256
      return FetchItem(
        name: name, path: file.path, bytes: file.bytes, sha256: file.sha256,
        way: isHeld ? held[name].map { .carry($0) } ?? .whole : .whole, update: update, format: file.format)
    }
  }
}
