// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import HTTPServer
import NIOPosix
import PhoneNumbers
import Publishing

/// Finds the packs of the newest publication that contain a number, by reading the packs.
actor PackPlaces {
  /// A pack that contains the number.
  struct Place: Sendable, Equatable {
    let pack: String
    let kind: String
    let label: String
  }

  /// The packs of one publication that contain the number.
  struct Found: Sendable, Equatable {
    let serial: Int64
    let places: [Place]
    /// The number of entries of each pack, by its name.
    var entries: [String: Int] = [:]
  }

  private let folder: PublicationFolder
  private let newest: NewestManifest
  /// Open packs by path. A path always names the same file.
  private var readers: [String: PackReader] = [:]

  init(folder: PublicationFolder, newest: NewestManifest) {
    self.folder = folder
    self.newest = newest
  }

  /// - Parameter country: ISO 3166 alpha-2; packs of other countries are skipped.
  /// - Returns: nil if nothing is published or the newest publication cannot be read.
  func places(of number: Int64, country: String?) async -> Found? {
    guard let manifest = try? await newest.manifest() else { return nil }
    let packs = manifest.packs.filter { $0.spans(number) && $0.mayContainNumbers(of: country) }
      .prefix(PackHistory.maxPacks)
    let known = Set(manifest.packs.map(\.path))
    readers = readers.filter { known.contains($0.key) }
    var open: [(pack: ManifestPack, reader: PackReader)] = []
    for pack in packs {
      if let reader = await self.open(pack.path) { open.append((pack, reader)) }
    }
    let serial = manifest.serial
    let entries = Dictionary(manifest.packs.map { ($0.name, $0.entries) }) { first, _ in first }
    return try? await NIOThreadPool.singleton.runIfActive { [open] in
      Found(
        serial: serial,
        places: open.compactMap { pack, reader in
          guard let entry = try? reader.lookup(number) else { return nil }
          return Place(pack: pack.name, kind: pack.kind, label: entry.label ?? "")
        }, entries: entries)
    }
  }

  private func open(_ path: String) async -> PackReader? {
    if let reader = readers[path] { return reader }
    let file = folder.filePath(path)
    guard let reader = try? await NIOThreadPool.singleton.runIfActive({ try PackReader.open(path: file) }) else {
      return nil
    }
    if readers.count < PackHistory.maxPacks { readers[path] = reader }
    return reader
  }
}

/// Where the newest publication has a number: the database says whether it is listed, and the packs in this server's
/// folder say where.
///
/// The folder may be behind the database, or empty: another server has published, or a backup was restored. So packs of
/// another publication than the newest one never contradict the listing; they are left out, and a text says so.
struct PackListing {
  let places: [PackPlaces.Place]
  private let key: String
  private let values: [String: String]

  /// - Parameters:
  /// - found: nil if the folder has no publication that can be read.
  /// - newest: the serial of the newest publication in the database; nil before the first.
  init(_ found: PackPlaces.Found?, newest: Int64?, listing: Explanation.Listing?) {
    let isCurrent = found.map { $0.serial == newest } ?? false
    places = isCurrent ? found?.places ?? [] : []
    guard newest != nil || found != nil else {
      (key, values) = (listing == nil ? "case.unpublished" : "case.listed-elsewhere", Self.values(listing, nil))
      return
    }
    values = Self.values(listing, found?.serial)
    switch (isCurrent, listing) {
    case (true, _) where !places.isEmpty: key = ""
    // A listed number may have no entry of its own, for example where a recipe leaves its country out.
    case (true, .some): key = "case.listed-in-no-pack"
    case (true, nil): key = "case.in-no-pack"
    case (false, .some): key = found == nil ? "case.listed-elsewhere" : "case.listed-since"
    case (false, nil): key = found == nil ? "case.not-listed" : "case.not-listed-since"
    }
  }

  /// Empty where the packs say everything.
  func text(_ texts: Localizer) -> String { key.isEmpty ? "" : texts(key, values) }

  private static func values(_ listing: Explanation.Listing?, _ serial: Int64?) -> [String: String] {
    ["serial": listing.map { "\($0.serial)" } ?? "", "packs": serial.map { "\($0)" } ?? ""]
  }
}

/// The listing that a number would get in a publication made now, by the publication's rules.
struct CaseOutlook {
  let listed: Explanation.Outlook?

  init(_ explanation: Explanation) { listed = explanation.outlook }

  func text(_ texts: Localizer) -> String {
    guard let listed else { return texts("case.outlook.out") }
    let name = listed.label ?? texts.category(listed.category)
    return texts(listed.isBlocked ? "case.outlook.block" : "case.outlook.identify", ["name": name])
  }

  /// The packs that may contain the number, by the recipes in force, as text; empty for a number that is not listed.
  /// - Parameters:
  ///   - hasCalls: whether phones have counted calls from the number.
  ///   - found: the packs of the newest publication: one that is full takes only numbers of a higher rank.
  func packs(
    of number: PhoneNumber, _ recipes: [Recipe], hasCalls: Bool, found: PackPlaces.Found?, _ texts: Localizer
  ) -> String {
    guard let listed else { return "" }
    let region = RegionMap.countries.region(of: number.digits)
    let packs = recipes.compactMap { recipe -> (name: String, recipe: Recipe)? in
      guard recipe.takes(listed.category, listed.isBlocked ? .block : .identify),
        hasCalls || !recipe.isIdentifiedOnly
      else { return nil }
      switch recipe.area {
      case .everywhere: break
      case .regions(let names):
        // A part of a country is named after it, such as US-212.
        guard let region, names.contains(where: { $0 == region || $0.hasPrefix("\(region)-") }) else { return nil }
      case .split: guard region != nil else { return nil }
      }
      let shard = recipe.shards.count > 1 ? recipe.shards.index(of: number.digits) : 0
      return (recipe.packName(region: recipe.area == .split ? region : nil, shard: shard), recipe)
    }
    guard !packs.isEmpty else { return texts("case.outlook.no-recipe") }
    let names = packs.map { "\($0.name) (\(texts("case.pack.\($0.recipe.kind.rawValue)")))" }
    let isIn = Set(found?.places.map(\.pack) ?? [])
    let full = packs.filter { !isIn.contains($0.name) && found?.entries[$0.name] ?? 0 >= $0.recipe.limit }
    return
      ([texts("case.outlook.packs", ["packs": names.joined(separator: ", ")])]
      + full.map { texts.count("case.outlook.full", $0.recipe.limit, ["pack": $0.name]) }).joined(separator: " ")
  }

  /// The change that the next publication would make: `enters`, `leaves`, `changes`, `stays` or `out`.
  func change(from listing: Explanation.Listing?) -> String {
    switch (listing, listed) {
    case (nil, nil): "out"
    case (nil, _): "enters"
    case (_, nil): "leaves"
    case (let now?, let next?):
      now.category == next.category && (now.treatment == .block) == next.isBlocked ? "stays" : "changes"
    }
  }
}
