import CallerPack
import Foundation

/// Fetches a publication: roots → manifest, its bins and descriptions → checked → deltas or packs → checked → in place.
///
/// What was seen is written before the packs are put in place: killed between the two, nothing older is let in, and the
/// files that are held are read, not remembered, so the next run makes up for the rest.
actor PackUpdater {
  /// What is remembered.
  private struct Seen: Codable {
    /// SHA-256 of the key or root that the app came with: with another one everything begins anew.
    let anchor: String
    let update: UpdateState
  }

  private let configuration: ClientConfiguration
  private let downloader: PackDownloader
  private let environment: ClientEnvironment
  private let anchor: ClientConfiguration.Anchor
  /// Packs are checked, put together and flushed on a queue of their own, so that reports do not wait for them.
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

  static func packs(in folder: URL) -> URL { folder.appending(path: "packs") }

  private var packs: String { Self.packs(in: configuration.folder).path }
  private var partial: String { configuration.folder.appending(path: "partial").path }
  private var seenPath: String { configuration.folder.appending(path: "seen.json").path }

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

  /// By name, the packs of the manifest that are here.
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
        // With only a key, roots from before it are passed over: the key may have come with a later one.
        guard trust.root == nil, case .unknownKey = error else { throw error }
      }
      serial += 1
    }
    return trust
  }

  /// Fetches and checks one pack, beside its place.
  /// - Returns: bytes fetched.
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
        // It is gone; the whole pack is as good.
      } catch is UpdateError {
        // Whatever is wrong with it, the whole pack is as good.
      }
    }
    let file = "\(partial)/\(update.pack.sha256)"
    // What was gone on with and turns out wrong is fetched once more from its begin.
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

  /// Removes downloads that nobody will go on with.
  private func sweep() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: partial)) ?? [] {
      try? FileManager.default.removeItem(atPath: "\(partial)/\(name)")
    }
  }
}
