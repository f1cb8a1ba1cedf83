// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// Reads the documents of a publication with their checks: the roots, and the parts of a manifest.
struct PublicationDocuments: Sendable {
  let downloader: Downloader

  /// The most roots that are followed in one run.
  private static let longestChain = 1_000
  /// The longest root, in bytes.
  static let mostRootBytes = 1 << 20

  /// Follows the chain of roots to its end.
  func followed(_ first: TrustStore) async throws -> TrustStore {
    var trust = first
    var serial = trust.nextRootSerial
    for _ in 0..<Self.longestChain {
      guard let file = try await root(serial) else { break }
      try trust.followUnlessUnknown(file)
      serial += 1
    }
    return trust
  }

  /// A root; nil where there is none.
  func root(_ serial: Int) async throws -> Data? {
    try await downloader.document(
      downloader.source.url(Root.path(serial: serial)), limit: Self.mostRootBytes)
  }

  /// Reads the parts of a manifest that some packs need.
  /// - Parameters:
  ///   - packs: the names of the packs; nil for all.
  ///   - held: a part that need not be fetched; nil where it is missing.
  func manifest(
    of head: ManifestHead, wanted packs: Set<String>?, held: (ManifestPart) -> [UInt8]? = { _ in nil }
  ) async throws -> (Manifest, [ManifestPart: [UInt8]]) {
    var reader = ManifestReader(head, wanted: packs)
    var parts: [ManifestPart: [UInt8]] = [:]
    while let part = reader.missing.first {
      if let held = held(part), (try? reader.add(held, as: part)) != nil {
        parts[part] = held
        continue
      }
      let address = downloader.source.url(part.path)
      guard let file = try await downloader.document(address, limit: ManifestPart.limit) else {
        throw FetchError.missing(address.absoluteString)
      }
      try reader.add([UInt8](file), as: part)
      parts[part] = [UInt8](file)
    }
    return (reader.manifest, parts)
  }
}

extension TrustStore {
  /// With only a key, roots before it are skipped: the key may have come with a later one.
  fileprivate mutating func followUnlessUnknown(_ file: Data) throws {
    do {
      try follow(file)
    } catch {
      if root == nil, case .unknownKey = error { return }
      throw error
    }
  }
}
