/// Says what a client has to fetch: nothing, a delta, or the whole pack.
public enum UpdatePlanner {
  /// Plans an update.
  /// - Parameters:
  ///   - manifest: verified.
  ///   - wanted: names of packs; nil for all there are.
  ///   - held: by name, SHA-256 of the pack files that the client holds; compute it from the files (``PackDigest/ofFile(_:)``)
  ///     rather than remember it, for a delta gives nothing useful from a damaged base.
  /// - Returns: one update for each pack that is wanted, in the order of their names.
  /// - Throws: ``UpdateError/noSuchPack(_:)``.
  public static func plan(
    _ manifest: Manifest, wanted: Set<String>? = nil, held: [String: PackDigest]
  ) throws(UpdateError) -> [PackUpdate] {
    let names = Set(manifest.packs.map(\.name))
    if let missing = wanted?.subtracting(names).sorted().first { throw .noSuchPack(missing) }
    return manifest.packs.filter { wanted?.contains($0.name) ?? true }.map { pack in
      PackUpdate(pack: pack, step: step(pack, held: held[pack.name]))
    }
  }

  private static func step(_ pack: ManifestPack, held: PackDigest?) -> PackUpdate.Step {
    guard let held = held?.hex else { return .full }
    if held == pack.sha256 { return .none }
    let delta = pack.deltas.filter { $0.fromSHA256 == held && $0.bytes < pack.bytes }.min { $0.bytes < $1.bytes }
    return delta.map { .delta($0) } ?? .full
  }
}

/// What is to be done for one pack.
public struct PackUpdate: Sendable, Equatable {
  /// What is to be fetched.
  public enum Step: Sendable, Equatable {
    /// The file that is held is the one.
    case none
    /// This delta, to be applied to the file that is held.
    case delta(ManifestPack.Delta)
    /// The whole pack.
    case full
  }

  /// The pack to arrive at.
  public let pack: ManifestPack
  /// How.
  public let step: Step

  /// - Parameters: see the properties.
  public init(pack: ManifestPack, step: Step) {
    self.pack = pack
    self.step = step
  }

  /// Path of the file to fetch, relative to the manifest's folder; nil when there is nothing to fetch.
  public var path: String? {
    switch step {
    case .none: nil
    case .delta(let delta): delta.path
    case .full: pack.path
    }
  }

  /// Bytes to fetch.
  public var bytes: Int {
    switch step {
    case .none: 0
    case .delta(let delta): delta.bytes
    case .full: pack.bytes
    }
  }
}

extension PackUpdate {
  /// Checks a whole pack that was fetched, or came of a delta: length, SHA-256, header, and every entry.
  /// - Throws: ``UpdateError``: `wrongFile`, `pack`.
  public func check(packAt path: String) throws(UpdateError) {
    try Self.check(path, named: pack.path, bytes: pack.bytes, sha256: pack.sha256)
    do throws(PackError) {
      let reader = try PackReader.open(path: path)
      try reader.verify()
      let header = reader.header
      guard "\(header.kind)" == pack.kind, header.entryCount == pack.entries, Int64(header.serial) == pack.serial else {
        throw PackError(
          .malformed, "the pack's header and the manifest do not agree",
          expected: "\(pack.kind), serial \(pack.serial), \(pack.entries) entries",
          got: "\(header.kind), serial \(header.serial), \(header.entryCount) entries")
      }
    } catch {
      throw .pack(error)
    }
  }

  /// Applies a delta that was fetched and checks what comes of it; the result appears under its name only when whole.
  /// - Parameters:
  ///   - path: of the delta.
  ///   - base: of the pack that is held.
  ///   - result: to write.
  /// - Throws: ``UpdateError``: `wrongFile`, `pack`. Fetch the whole pack then.
  public func apply(deltaAt path: String, base: String, to result: String) throws(UpdateError) {
    guard case .delta(let delta) = step else { throw .malformed("There is no delta in this step") }
    try Self.check(path, named: delta.path, bytes: delta.bytes, sha256: delta.sha256)
    do throws(PackError) {
      try PackDelta.open(path: path).apply(base: PackReader.open(path: base), to: result)
    } catch {
      throw .pack(error)
    }
    try check(packAt: result)
  }

  private static func check(_ path: String, named name: String, bytes: Int, sha256: String) throws(UpdateError) {
    let found: (count: Int, digest: PackDigest)
    do throws(PackError) {
      let source = try PackSource.open(path: path)
      // A file of another length is not worth the hashing.
      found = (source.count, source.count == bytes ? try source.digest() : .of([]))
    } catch {
      throw .pack(error)
    }
    guard found.count == bytes else {
      throw .wrongFile(path: name, expected: "\(bytes) bytes", got: "\(found.count)")
    }
    guard found.digest.hex == sha256 else {
      throw .wrongFile(path: name, expected: "SHA-256 \(sha256)", got: found.digest.hex)
    }
  }
}
