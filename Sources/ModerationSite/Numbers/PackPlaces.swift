// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import CallerPack
import Foundation
import NIOPosix
import Publishing

/// Finds the packs of the newest publication that contain a number, by reading the packs.
actor PackPlaces {
  /// A pack that contains the number.
  struct Place: Sendable, Equatable, Encodable {
    let pack: String
    let kind: String
    let label: String
  }

  /// The packs of one publication that contain the number.
  struct Found: Sendable, Equatable {
    /// The publication of the packs.
    let serial: Int64
    let places: [Place]
  }

  private let folder: PublicationFolder
  private let newest: NewestManifest
  /// Open packs by path. A path always names the same file.
  private var readers: [String: PackReader] = [:]

  /// The maximum number of packs read for one number and kept open.
  private static let most = 64

  init(folder: PublicationFolder, newest: NewestManifest) {
    self.folder = folder
    self.newest = newest
  }

  /// - Parameter country: ISO 3166 alpha-2; packs of other countries are skipped.
  /// - Returns: nil if nothing is published or the newest publication cannot be read.
  func places(of number: Int64, country: String?) async -> Found? {
    guard let manifest = try? await newest.manifest() else { return nil }
    let packs = manifest.packs.filter { $0.spans(number) && $0.mayContainNumbers(of: country) }.prefix(Self.most)
    let known = Set(manifest.packs.map(\.path))
    readers = readers.filter { known.contains($0.key) }
    var open: [(pack: ManifestPack, reader: PackReader)] = []
    for pack in packs {
      if let reader = await self.open(pack.path) { open.append((pack, reader)) }
    }
    let serial = manifest.serial
    return try? await NIOThreadPool.singleton.runIfActive { [open] in
      Found(
        serial: serial,
        places: open.compactMap { pack, reader in
          guard let entry = try? reader.lookup(number) else { return nil }
          return Place(pack: pack.name, kind: pack.kind, label: entry.label ?? "")
        })
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
