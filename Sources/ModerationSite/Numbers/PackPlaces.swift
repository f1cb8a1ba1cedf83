import HTTPServer
import CallerPack
import Foundation
import NIOPosix
import Publishing

/// In which packs of the newest publication a number is, looked up in the packs themselves.
actor PackPlaces {
  /// A pack that has the number.
  struct Place: Sendable, Encodable {
    let pack: String
    let kind: String
    let label: String
  }

  private let folder: PublicationFolder
  private let newest: NewestManifest
  /// Open packs by their paths, which never stand for another file.
  private var readers: [String: PackReader] = [:]

  /// The most packs that are looked into, and kept open.
  private static let most = 64

  init(folder: PublicationFolder, newest: NewestManifest) {
    self.folder = folder
    self.newest = newest
  }

  /// - Parameter country: ISO 3166 alpha-2; packs of other countries are not looked into.
  /// - Returns: nil while nothing is published, or the newest publication cannot be read just now.
  func places(of number: Int64, country: String?) async -> [Place]? {
    guard let manifest = try? await newest.manifest() else { return nil }
    let packs = manifest.packs.filter { pack in
      guard let first = pack.first, let last = pack.last, first <= number, number <= last else { return false }
      guard let region = pack.region?.uppercased(), let country else { return true }
      return region == country || region.hasPrefix("\(country)-") || region.count != 2
    }.prefix(Self.most)
    let known = Set(manifest.packs.map(\.path))
    readers = readers.filter { known.contains($0.key) }
    var open: [(pack: ManifestPack, reader: PackReader)] = []
    for pack in packs {
      if let reader = await self.open(pack.path) { open.append((pack, reader)) }
    }
    return try? await NIOThreadPool.singleton.runIfActive { [open] in
      open.compactMap { pack, reader in
        guard let entry = try? reader.lookup(number) else { return nil }
        return Place(pack: pack.name, kind: pack.kind, label: entry.label ?? "")
      }
    }
  }

  private func open(_ path: String) async -> PackReader? {
    if let reader = readers[path] { return reader }
    let file = folder.filePath(path)
    guard let reader = try? await NIOThreadPool.singleton.runIfActive({ try PackReader.open(path: file) }) else {
      return nil
    }
    if readers.count < Self.most { readers[path] = reader }
    return reader
  }
}
