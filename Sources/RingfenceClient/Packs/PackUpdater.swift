// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// Updates packs: roots → manifest, its bins and descriptions → checks → deltas or packs → checks → moves into place.
///
/// The state is saved before the packs are moved into place. If the process is killed in between, older publications
/// stay refused, and the next run compares the files themselves and fetches the rest.
actor PackUpdater {
  /// The saved state.
  private struct Seen: Codable {
    /// SHA-256 of the trust anchor; a state with another anchor is ignored.
    let anchor: String
    let update: UpdateState
  }

  private let configuration: ClientConfiguration
  private let downloader: PackDownloader
  private let environment: ClientEnvironment
  private let anchor: ClientConfiguration.Anchor
  /// Packs are checked and flushed on a queue of their own, so that reports do not wait for them.
  nonisolated let files = FileExecutor(label: "ringfence.client.packs")
  nonisolated var unownedExecutor: UnownedSerialExecutor { files.asUnownedSerialExecutor() }

  private static let longestChain = 1_000

  init(
    _ configuration: ClientConfiguration, transport: any ClientTransport, environment: ClientEnvironment
  ) throws(ClientError) {
    guard let anchor = configuration.anchor else {
      throw .configuration("Give the client a key or a root: without one no pack can be trusted.")
    }
    self.anchor = anchor
    self.configuration = configuration
    self.environment = environment
    downloader = PackDownloader(
      transport: transport, source: configuration.publications,
      key: configuration.publicationsAreTheServers ? configuration.key : nil, environment: environment)
  }

  static func packs(in folder: URL) -> URL { folder.appendingPathComponent("packs") }

  private var packs: String { Self.packs(in: configuration.folder).path }
  private var partial: String { configuration.folder.appendingPathComponent("partial").path }
  private var seenPath: String { configuration.folder.appendingPathComponent("seen.json").path }

  func run(_ wanted: Set<String>?) async throws -> PackUpdateResult {
    do {
      return try await update(wanted)
    } catch let error as UpdateError {
      throw ClientError.refused(error)
    }
  }

  private func update(_ wanted: Set<String>?) async throws -> PackUpdateResult {
    try ClientFiles.makeFolder(packs)
    try ClientFiles.makeFolder(partial)
    let former = formerState()
    let trust = try await followed(former)
    guard let file = try await downloader.document("manifest.json", limit: Envelope.limit) else {
      throw ClientError.status(404)
    }
    let verified = try trust.verify(manifest: file, at: environment.now(), state: former)
    let manifest = try await manifest(of: verified.head, wanted)
    let updates = try UpdatePlanner.plan(manifest, wanted: wanted, held: held(manifest))
      .filter { $0.step != .none }
    var fetched = 0
    for update in updates { fetched += try await stage(update) }
    let seen = Seen(anchor: anchorID, update: trust.state(after: verified))
    try ClientFiles.replace(seenPath, with: try JSONEncoder().encode(seen))
    for update in updates {
      try ClientFiles.move(staged(update.pack.name), to: path(update.pack.name))
    }
    sweep()
    return PackUpdateResult(
      serial: manifest.serial, changed: updates.map(\.pack.name).sorted(), fetchedBytes: fetched)
  }

  /// Reads the parts of a manifest that the wanted packs need.
  private func manifest(of head: ManifestHead, _ wanted: Set<String>?) async throws -> Manifest {
    var reader = ManifestReader(head, wanted: wanted)
    while let part = reader.missing.first {
      guard let file = try await downloader.document(part.path, limit: ManifestPart.limit) else {
        throw ClientError.status(404)
      }
      try reader.add([UInt8](file), as: part)
    }
    return reader.manifest
  }

  private func path(_ name: String) -> String { "\(packs)/\(name).rfpack" }
  private func staged(_ name: String) -> String { "\(partial)/\(name).staged" }

  private var anchorID: String {
    switch anchor {
    case .key(let key): PackDigest.of(key.bytes).hex
    case .root(let file): PackDigest.of([UInt8](file)).hex
    }
  }

  private func formerState() -> UpdateState {
    guard let data = ClientFiles.read(seenPath, limit: 8 << 20),
      let seen = try? JSONDecoder().decode(Seen.self, from: data), seen.anchor == anchorID
    else { return UpdateState() }
    return seen.update
  }

  /// Returns the digests of the manifest's packs that are in the folder, by name.
  private func held(_ manifest: Manifest) -> [String: PackDigest] {
    manifest.packs.reduce(into: [:]) { held, pack in held[pack.name] = try? PackDigest.ofFile(path(pack.name)) }
  }

  private func followed(_ former: UpdateState) async throws -> TrustStore {
    var trust: TrustStore
    switch (former.root, anchor) {
    case (.some(let root), _): trust = try TrustStore(root: root)
    case (nil, .key(let key)): trust = TrustStore(key: key)
    case (nil, .root(let file)): trust = try TrustStore(root: file)
    }
    var serial = trust.nextRootSerial
    for _ in 0..<Self.longestChain {
      guard let file = try await downloader.document(Root.path(serial: serial), limit: 1 << 20) else { break }
      do {
        try trust.follow(file)
      } catch {
        // With only a key, roots before it are skipped: the key may have come with a later one.
        guard trust.root == nil, case .unknownKey = error else { throw error }
      }
      serial += 1
    }
    return trust
  }

  /// Downloads and checks one pack in the folder of partial files.
  /// - Returns: the number of bytes downloaded.
  private func stage(_ update: PackUpdate) async throws -> Int {
    let target = staged(update.pack.name)
    if case .delta(let delta) = update.step {
      let file = "\(partial)/\(delta.sha256)"
      defer { try? FileManager.default.removeItem(atPath: file) }
      do {
        try await downloader.file(delta.path, bytes: delta.bytes, to: file)
        try update.apply(deltaAt: file, base: path(update.pack.name), to: target)
        return delta.bytes
      } catch ClientError.status {
        // The delta does not exist any more; the complete pack replaces it.
      } catch is UpdateError {
        // The complete pack replaces a delta with any error.
      }
    }
    let file = "\(partial)/\(update.pack.sha256)"
    // A continued download with wrong content is repeated once from the start.
    for isLast in [false, true] {
      let isNew = try await downloader.file(update.pack.path, bytes: update.pack.bytes, to: file)
      do {
        try update.check(packAt: file)
        break
      } catch {
        try? FileManager.default.removeItem(atPath: file)
        if isNew || isLast { throw error }
      }
    }
    try ClientFiles.flush(file)
    try ClientFiles.move(file, to: target)
    return update.pack.bytes
  }

  /// Removes downloads that no update needs any more.
  private func sweep() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: partial)) ?? [] {
      try? FileManager.default.removeItem(atPath: "\(partial)/\(name)")
    }
  }
}

/// The outcome of an update of packs.
public struct PackUpdateResult: Sendable, Equatable {
  /// The serial of the publication after the update.
  public let serial: Int64
  /// The names of packs that changed.
  public let changed: [String]
  /// The size of the packs and deltas that were downloaded, in bytes.
  public let fetchedBytes: Int
}
