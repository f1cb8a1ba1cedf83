// SPDX-License-Identifier: Apache-2.0

import CallerPack
import FileSupport
import Foundation

/// Updates packs: roots → manifest, its bins and descriptions → checks → deltas or packs → checks → moves into place.
///
/// The state is saved before the packs are moved into place. If the process is killed in between, older publications
/// stay refused, and the next run compares the files themselves and fetches the rest.
actor PackUpdater {
  private let configuration: ClientConfiguration
  private let session: UpdateSession<PackDownloader>
  private let environment: ClientEnvironment
  /// Packs are checked and flushed on a queue of their own, so that reports do not wait for them.
  nonisolated let files = FileExecutor(label: "ringfence.client.packs")
  nonisolated var unownedExecutor: UnownedSerialExecutor { files.asUnownedSerialExecutor() }

  init(
    _ configuration: ClientConfiguration, transport: any ClientTransport, environment: ClientEnvironment
  ) throws(ClientError) {
    guard let anchor = configuration.anchor else {
      throw .configuration("Give the client a key or a root: without one no pack can be trusted.")
    }
    self.configuration = configuration
    self.environment = environment
    let downloader = PackDownloader(
      transport: transport, source: configuration.publications,
      key: configuration.publicationsAreTheServers ? configuration.key : nil, environment: environment)
    session = UpdateSession(downloader, anchor: anchor)
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
    } catch let error as FileFailure {
      throw ClientError(error)
    }
  }

  private func update(_ wanted: Set<String>?) async throws -> PackUpdateResult {
    try ClientFiles.makeFolder(packs)
    try ClientFiles.makeFolder(partial)
    let publication = try await session.newest(after: formerState(), at: environment.now(), wanted: wanted)
    let manifest = publication.manifest
    let updates = try UpdatePlanner.plan(manifest, wanted: wanted, held: held(manifest)).filter { $0.step != .none }
    var fetched = 0
    for update in updates {
      let name = update.pack.name
      fetched += try await session.fetch(update, base: path(name), partial: partial, to: staged(name))
    }
    let seen = SavedUpdate(publication.state, anchor: session.anchor)
    try ClientFiles.replace(seenPath, with: try JSONEncoder().encode(seen))
    for update in updates {
      try ClientFiles.move(staged(update.pack.name), to: path(update.pack.name))
    }
    sweep()
    return PackUpdateResult(
      serial: manifest.serial, changed: updates.map(\.pack.name).sorted(), fetchedBytes: fetched)
  }

  private func path(_ name: String) -> String { "\(packs)/\(name).rfpack" }
  private func staged(_ name: String) -> String { "\(partial)/\(name).staged" }

  private func formerState() -> UpdateState {
    ClientFiles.read(seenPath, limit: 8 << 20).flatMap { try? JSONDecoder().decode(SavedUpdate.self, from: $0) }?
      .state(for: session.anchor) ?? UpdateState()
  }

  /// Returns the digests of the manifest's packs that are in the folder, by name.
  private func held(_ manifest: Manifest) -> [String: PackDigest] {
    manifest.packs.reduce(into: [:]) { held, pack in held[pack.name] = try? PackDigest.ofFile(path(pack.name)) }
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
