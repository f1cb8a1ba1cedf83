// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
      try header.checkContent()
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
      let delta = try PackDelta.open(path: path)
      try delta.header.result.checkContent()
      try delta.apply(base: PackReader.open(path: base), to: result)
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

/// The reason why an update was refused. The packs of the previous update stay valid.
public enum UpdateError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A document is longer than the limit.
  case tooLarge(bytes: Int, limit: Int)
  /// A document breaks a rule of its form: a sentence without a full stop.
  case malformed(String)
  /// A document has a version that this reader does not know.
  case unsupported(version: Int, known: Int)
  /// Too few of the trusted keys have signed. Contains the ids of the keys that signed.
  case unknownKey([String])
  /// A signature under the id of a trusted key is invalid.
  case badSignature(keyID: String)
  /// The manifest has expired at this time.
  case expired(Date)
  /// The newest root has expired at this time.
  case rootExpired(Date)
  /// The publication is older than one that was seen before: serials.
  case downgrade(seen: Int64, got: Int64)
  /// The manifest does not continue the publication that was seen before: serials.
  case brokenChain(seen: Int64, got: Int64)
  /// The root is not the next one: serials.
  case rootOutOfOrder(expected: Int, got: Int)
  /// The manifest has no pack with this name.
  case noSuchPack(String)
  /// A fetched file is not the one that the manifest names.
  case wrongFile(path: String, expected: String, got: String)
  /// A pack or delta is damaged.
  case pack(PackError)

  /// A sentence that says what is wrong and what to do.
  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "The document has \(bytes) bytes. The limit is \(limit)."
    case .malformed(let rule): "\(rule). Fetch it again. If that does not help, contact the publisher."
    case .unsupported(let version, let known):
      "The document has version \(version). This program supports version \(known). Update the program."
    case .unknownKey(let ids):
      """
      Signed by \(ids.map { String($0.prefix(16)) }.joined(separator: ", ")), which is not a trusted key. Follow the \
      roots from the one you have, or check your key.
      """
    case .badSignature(let id): "The signature of key \(id) is wrong: the document was changed. Fetch it again."
    case .expired(let date): "The manifest expired at \(date.documentTime). Fetch a newer one."
    case .rootExpired(let date): "The root expired at \(date.documentTime). Fetch a newer one."
    case .downgrade(let seen, let got): "Publication \(got) is older than the last accepted publication \(seen)."
    case .brokenChain(let seen, let got):
      "Publication \(got) does not continue the last accepted publication \(seen)."
    case .rootOutOfOrder(let expected, let got): "Root \(got) was received, but root \(expected) must come next."
    case .noSuchPack(let name): "There is no pack \(name) in this publication. Its manifest lists the names."
    case .wrongFile(let path, let expected, let got):
      "\(path) does not match the manifest: expected \(expected), got \(got). Fetch it again."
    case .pack(let error): "\(error)"
    }
  }
}
