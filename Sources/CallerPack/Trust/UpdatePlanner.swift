// SPDX-License-Identifier: Apache-2.0

/// Plans the files that a client must fetch: nothing, a delta, or a pack.
public enum UpdatePlanner {
  /// Plans an update.
  ///
  /// ```swift
  /// let held = ["toxic": try PackDigest.ofFile("toxic.rfpack")]
  /// for update in try UpdatePlanner.plan(manifest, held: held) where update.step != .none { try await fetch(update) }
  /// ```
  /// - Parameters:
  ///   - manifest: a manifest of a verified head.
  ///   - wanted: names of packs; nil for all.
  ///   - held: SHA-256 of the pack files that the client has, by name. Compute it from the files
  ///     (``PackDigest/ofFile(_:)``) and do not remember it: a delta cannot be applied to a damaged base.
  /// - Returns: one update for each wanted pack, ordered by name.
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

/// The update of one pack.
public struct PackUpdate: Sendable, Equatable {
  /// The file to fetch.
  public enum Step: Sendable, Equatable {
    /// Nothing: the client has the current file.
    case none
    /// This delta, which is applied to the client's file.
    case delta(ManifestPack.Delta)
    /// The complete pack.
    case full
  }

  /// The pack after the update.
  public let pack: ManifestPack
  /// The file to fetch.
  public let step: Step

  /// Creates an update.
  /// - Parameters:
  ///   - pack: the pack after the update.
  ///   - step: the file to fetch.
  public init(pack: ManifestPack, step: Step) {
    self.pack = pack
    self.step = step
  }

  /// The path of the file to fetch, relative to the manifest's folder; nil when there is nothing to fetch.
  public var path: String? {
    switch step {
    case .none: nil
    case .delta(let delta): delta.path
    case .full: pack.path
    }
  }

  /// The number of bytes to fetch.
  public var bytes: Int {
    switch step {
    case .none: 0
    case .delta(let delta): delta.bytes
    case .full: pack.bytes
    }
  }
}

extension PackUpdate {
  /// Checks a complete pack that was fetched or that a delta produced: length, SHA-256, header, every entry, and that
  /// these are the entries that the manifest describes.
  /// - Parameter path: the file.
  /// - Throws: ``UpdateError``: `wrongFile`, `pack`.
  public func check(packAt path: String) throws(UpdateError) {
    try Self.check(path, named: pack.path, bytes: pack.bytes, sha256: pack.sha256)
    do throws(PackError) {
      let reader = try PackReader.open(path: path)
      let header = reader.header
      guard "\(header.kind)" == pack.kind, header.entryCount == pack.entries, header.serial == UInt64(pack.serial),
        header.region == pack.region ?? ""
      else {
        throw PackError(
          .malformed, "the pack's header and the manifest do not agree",
          expected: "\(pack.kind), region \"\(pack.region ?? "")\", serial \(pack.serial), \(pack.entries) entries",
          got: "\(header.kind), region \"\(header.region)\", serial \(header.serial), \(header.entryCount) entries")
      }
      guard reader.firstNumber == pack.first, pack.last == (header.entryCount > 0 ? header.lastNumber : nil) else {
        throw PackError(
          .malformed, "the pack's first or last number is not the manifest's",
          expected: "\(pack.first ?? 0) to \(pack.last ?? 0)", got: "\(reader.firstNumber ?? 0) to \(header.lastNumber)"
        )
      }
      // The walk over all entries checks every other rule of the format as well.
      let content = try reader.contentDigest().hex
      guard content == pack.contentSHA256 else {
        throw PackError(
          .malformed, "the pack's entries are not the manifest's", expected: "SHA-256 \(pack.contentSHA256)",
          got: content)
      }
    } catch {
      throw .pack(error)
    }
  }

  /// Applies a fetched delta and checks the result, which gets its name only when it is complete.
  /// - Parameters:
  ///   - path: the delta.
  ///   - base: the pack that the client has.
  ///   - result: the file to write.
  /// - Throws: ``UpdateError``: `wrongFile`, `pack`. Fetch the complete pack in this case.
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
      // A file of another length needs no hash.
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
