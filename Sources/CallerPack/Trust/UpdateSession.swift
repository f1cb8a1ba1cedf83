// SPDX-License-Identifier: Apache-2.0

import Support

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The initial trust of a client: a key or a root from another channel.
public enum TrustAnchor: Sendable {
  /// A public key, as `ringfence keys list` prints it.
  case key(VerifyingKey)
  /// The complete content of a `root.json`, for example one that came with the app.
  case root(Data)

  /// A root that is signed by its own keys.
  package static func root(checking file: Data) throws(UpdateError) -> TrustAnchor {
    _ = try TrustStore(root: file)
    return .root(file)
  }

  /// Identifies the anchor.
  fileprivate var id: String {
    switch self {
    case .key(let key): PackDigest.of(key.bytes).hex
    case .root(let file): PackDigest.of([UInt8](file)).hex
    }
  }

  fileprivate func trust() throws(UpdateError) -> TrustStore {
    switch self {
    case .key(let key): TrustStore(key: key)
    case .root(let file): try TrustStore(root: file)
    }
  }
}

/// Downloads the files of a publication. Paths are relative to the folder of its manifest.
package protocol UpdateTransport: Sendable {
  /// Downloads a short file; nil when there is none.
  /// - Parameter fields: header fields of the request.
  func document(_ path: String, limit: Int, fields: [String: String]) async throws -> Data?
  /// The product that the client states in its request for the manifest; nil for none.
  var product: ClientProduct? { get }
  /// Downloads a file of known length, and continues an interrupted download.
  /// - Returns: whether the download began with the first byte: only then is wrong content the sender's fault.
  func file(_ path: String, bytes: Int, to target: String) async throws -> Bool
  /// The error for a file that the publication needs and does not have.
  func missing(_ path: String) -> any Error
  /// Whether an error of ``file(_:bytes:to:)`` is about the file itself, so that another file may replace it.
  func isAboutFile(_ error: any Error) -> Bool
}

extension UpdateTransport {
  nonisolated(nonsending) func document(_ path: String, limit: Int) async throws -> Data? {
    try await document(path, limit: limit, fields: [:])
  }
}

/// The state that a client saves. With another anchor it is ignored.
package struct SavedUpdate: Codable, Sendable {
  private let anchor: String
  private let update: UpdateState

  package init(_ update: UpdateState, anchor: TrustAnchor) {
    (self.anchor, self.update) = (anchor.id, update)
  }

  package func state(for anchor: TrustAnchor) -> UpdateState { anchor.id == self.anchor ? update : UpdateState() }
}

/// The steps of an update that all clients share; see ``TrustStore``. The client plans the files, saves the state and
/// moves the files into place. Functions run where the caller does, because checks of packs take long.
package struct UpdateSession<Transport: UpdateTransport>: Sendable {
  /// A publication whose manifest is verified.
  package struct Publication: Sendable {
    /// The manifest's file.
    package let file: Data
    /// The manifest with the wanted packs.
    package let manifest: Manifest
    /// The parts of the manifest that these packs need.
    package let parts: [ManifestPart: [UInt8]]
    /// The state to save before the packs are moved into place.
    package let state: UpdateState
  }

  package let transport: Transport
  package let anchor: TrustAnchor

  package init(_ transport: Transport, anchor: TrustAnchor) {
    self.transport = transport
    self.anchor = anchor
  }

  /// The path of the manifest's signed part.
  package static var manifestPath: String { "manifest.json" }

  /// Reads and verifies the newest publication.
  /// - Parameters:
  ///   - state: the state of the update before.
  ///   - now: the time for checks of expiry.
  ///   - wanted: the names of packs; nil for all.
  ///   - held: a part that need not be downloaded; nil where it is missing.
  package nonisolated(nonsending) func newest(
    after state: UpdateState, at now: Date, wanted: Set<String>?, held: (ManifestPart) -> [UInt8]? = { _ in nil }
  ) async throws -> Publication {
    let (trust, file, verified) = try await head(after: state, at: now)
    let (manifest, parts) = try await manifest(of: verified.head, wanted: wanted, held: held)
    return Publication(file: file, manifest: manifest, parts: parts, state: trust.state(after: verified))
  }

  /// Reads and verifies the signed part of the newest manifest.
  private nonisolated(nonsending) func head(
    after state: UpdateState, at now: Date
  ) async throws -> (TrustStore, Data, VerifiedManifest) {
    let trust = try await trust(after: state)
    let fields = transport.product.map {
      [ClientStatement.field: ClientStatement($0, serial: state.seen?.serial ?? 0).text]
    }
    guard
      let file = try await transport.document(Self.manifestPath, limit: Envelope.limit, fields: fields ?? [:])
    else {
      throw transport.missing(Self.manifestPath)
    }
    return (trust, file, try trust.verify(manifest: file, at: now, state: state))
  }

  /// Reads the names of all packs of the newest publication, in ascending order, without their descriptions.
  package nonisolated(nonsending) func packNames(after state: UpdateState, at now: Date) async throws -> [String] {
    var reader = ManifestReader(try await head(after: state, at: now).2.head)
    for part in reader.missing {
      guard let file = try await transport.document(part.path, limit: ManifestPart.limit) else {
        throw transport.missing(part.path)
      }
      try reader.add([UInt8](file), as: part)
    }
    return reader.named.compactMap { if case .description(let name) = $0.kind { name } else { nil } }.sorted()
  }

  /// Follows the chain of roots to its end.
  package nonisolated(nonsending) func trust(after state: UpdateState) async throws -> TrustStore {
    var trust = try state.root.map { root throws(UpdateError) in try TrustStore(root: root) } ?? anchor.trust()
    let first = trust.nextRootSerial
    for serial in first..<first + 1_000 {
      guard let file = try await root(serial) else { break }
      do {
        try trust.follow(file)
      } catch {
        // With only a key, roots before it are skipped: the key may have come with a later one.
        guard trust.root == nil, case .unknownKey = error else { throw error }
      }
    }
    return trust
  }

  /// Reads a root; nil where there is none.
  package nonisolated(nonsending) func root(_ serial: Int) async throws -> Data? {
    try await transport.document(Root.path(serial: serial), limit: 1 << 20)
  }

  /// Reads the parts of a manifest that the wanted packs need.
  package nonisolated(nonsending) func manifest(
    of head: ManifestHead, wanted: Set<String>?, held: (ManifestPart) -> [UInt8]? = { _ in nil }
  ) async throws -> (Manifest, [ManifestPart: [UInt8]]) {
    var reader = ManifestReader(head, wanted: wanted)
    var parts: [ManifestPart: [UInt8]] = [:]
    while let part = reader.missing.first {
      if let held = held(part), (try? reader.add(held, as: part)) != nil {
        parts[part] = held
        continue
      }
      guard let file = try await transport.document(part.path, limit: ManifestPart.limit) else {
        throw transport.missing(part.path)
      }
      try reader.add([UInt8](file), as: part)
      parts[part] = [UInt8](file)
    }
    return (reader.manifest, parts)
  }

  /// Downloads a pack or its delta and verifies it. The complete pack replaces a delta with any error.
  /// - Parameters:
  ///   - base: the client's pack, for a delta.
  ///   - partial: the folder of interrupted downloads.
  ///   - target: the path of the pack, which appears when it is verified.
  /// - Returns: the size of the downloaded file in bytes.
  package nonisolated(nonsending) func fetch(
    _ update: PackUpdate, base: String, partial: String, to target: String
  ) async throws -> Int {
    if case .delta(let delta) = update.step {
      let file = "\(partial)/\(delta.sha256)"
      defer { try? FileManager.default.removeItem(atPath: file) }
      do {
        _ = try await transport.file(delta.path, bytes: delta.bytes, to: file)
        try update.apply(deltaAt: file, base: base, to: target)
        return delta.bytes
      } catch  where error is UpdateError || transport.isAboutFile(error) {}
    }
    let pack = update.pack
    try await fetch(pack.path, bytes: pack.bytes, sha256: pack.sha256, partial: partial, to: target) { file in
      try update.check(packAt: file)
    }
    return pack.bytes
  }

  /// Downloads a file and verifies it. A continued download with wrong content is repeated once from the beginning.
  package nonisolated(nonsending) func fetch(
    _ path: String, bytes: Int, sha256: String, partial: String, to target: String, check: (String) throws -> Void
  ) async throws {
    let file = "\(partial)/\(sha256)"
    for isLast in [false, true] {
      let isNew = try await transport.file(path, bytes: bytes, to: file)
      do {
        try check(file)
        break
      } catch {
        try? FileManager.default.removeItem(atPath: file)
        if isNew || isLast { throw error }
      }
    }
    try flushToDisk(file)
    try CompleteFile.move(file, to: target, flushing: .file)
  }
}
