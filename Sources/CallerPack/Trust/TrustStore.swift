// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The keys that a client trusts, and the checks of documents that claim to be signed by them. The store does no I/O:
/// the caller fetches files.
///
/// Update packs in these steps:
/// 1. Start with the root in ``UpdateState``, otherwise with the root that came with the app, otherwise with a key.
/// 2. Fetch `roots/N.root.json` for ``nextRootSerial``, pass it to ``follow(_:)``, and repeat until there is no such
/// file.
/// 3. Fetch `manifest.json` and pass it to ``verify(manifest:at:state:)``.
/// 4. Fetch the bins and descriptions that ``ManifestReader`` needs.
/// 5. Fetch and check the files that ``UpdatePlanner`` plans, and move them into place.
/// 6. Save ``state(after:)``.
///
/// ```swift
/// let trust = TrustStore(key: key)
/// let verified = try trust.verify(manifest: file, at: Date(), state: state)
/// ```
public struct TrustStore: Sendable, Equatable {
  private var keys: [VerifyingKey]
  private var threshold: Int
  /// The newest root that was followed to; nil while only a key is known.
  public private(set) var root: Root?
  private var rootFile: Data?

  /// Trusts one key: the signer of a manifest or of a root.
  /// - Parameter key: as `ringfence keys list` prints it.
  public init(key: VerifyingKey) {
    keys = [key]
    threshold = 1
  }

  /// Trusts the keys of a root that came by a trusted way, such as within an app.
  /// - Parameter file: the complete file of a root, which must be signed by its own keys.
  /// - Throws: ``UpdateError``.
  public init(root file: Data) throws(UpdateError) {
    let (envelope, root) = try Self.open(file)
    try envelope.check(signedBy: root.keys, threshold: root.threshold)
    (keys, threshold) = (root.keys, root.threshold)
    (self.root, rootFile) = (root, file)
  }

  /// The serial of the next root to fetch. With only a key it is 1. Then continue with the next serial also when
  /// ``follow(_:)`` throws `unknownKey`, because the key may have come with a later root.
  public var nextRootSerial: Int { (root?.serial ?? 0) + 1 }

  /// Replaces the trusted keys by the keys of the next root.
  ///
  /// The root must be signed by the keys that are trusted so far and by its own. When a root is known already, the
  /// serial must be the next one.
  /// - Parameter file: the complete file of the root.
  /// - Throws: ``UpdateError``; the trusted keys then stay unchanged.
  public mutating func follow(_ file: Data) throws(UpdateError) {
    let (envelope, next) = try Self.open(file)
    if let root, next.serial != root.serial + 1 {
      throw .rootOutOfOrder(expected: root.serial + 1, got: next.serial)
    }
    try envelope.check(signedBy: keys, threshold: threshold)
    try envelope.check(signedBy: next.keys, threshold: next.threshold)
    (keys, threshold) = (next.keys, next.threshold)
    (root, rootFile) = (next, file)
  }

  /// Checks a manifest: its signatures, form and expiry, and that it continues the newest publication that was seen.
  /// - Parameters:
  ///   - file: the complete content of `manifest.json`.
  ///   - now: the time of the client's clock.
  ///   - state: the state after the previous update.
  /// - Returns: the head of the manifest, for ``ManifestReader``.
  /// - Throws: ``UpdateError`` with the reason.
  public func verify(
    manifest file: Data, at now: Date, state: UpdateState = UpdateState()
  ) throws(UpdateError) -> VerifiedManifest {
    if let root, now >= root.expires { throw .rootExpired(root.expires) }
    let envelope = try Envelope(decoding: [UInt8](file), payloadType: Manifest.payloadType)
    try envelope.check(signedBy: keys, threshold: threshold)
    let head = try ManifestHead(decoding: envelope.payload)
    let verified = VerifiedManifest(
      head: head, link: Manifest.Link(serial: head.serial, sha256: envelope.payloadDigest.hex))
    if let seen = state.seen { try verified.check(continues: seen) }
    guard now < head.expires else { throw .expired(head.expires) }
    return verified
  }

  /// Returns the state to save when the packs of this manifest are in place.
  public func state(after manifest: VerifiedManifest) -> UpdateState {
    UpdateState(seen: manifest.link, root: rootFile)
  }

  private static func open(_ file: Data) throws(UpdateError) -> (Envelope, Root) {
    let envelope = try Envelope(decoding: [UInt8](file), payloadType: Root.payloadType)
    return (envelope, try Root(decoding: envelope.payload))
  }
}

/// A manifest with valid signatures. They cover its other parts by digests, which ``ManifestReader`` checks.
public struct VerifiedManifest: Sendable, Equatable {
  /// The signed part of the manifest.
  public let head: ManifestHead
  /// The serial of the manifest and the SHA-256 of its head.
  public let link: Manifest.Link

  /// Returns whether this is the publication of a saved state.
  public func isSame(as state: UpdateState) -> Bool { state.seen == link }

  /// Checks that a manifest continues the publication that was seen. A client that missed publications cannot check the
  /// complete chain, but the publication that it saw must not lie between this one and the one that it names as
  /// previous.
  func check(continues seen: Manifest.Link) throws(UpdateError) {
    guard link.serial >= seen.serial else { throw .downgrade(seen: seen.serial, got: link.serial) }
    if link == seen { return }
    guard link.serial > seen.serial, let previous = head.previous, previous.serial >= seen.serial,
      previous.serial > seen.serial || previous == seen
    else { throw .brokenChain(seen: seen.serial, got: link.serial) }
  }
}

/// The state that a client keeps from one update to the next, in a small file.
///
/// Save it when the packs are in place, and never restore an older one: a downgrade is detected by it.
public struct UpdateState: Codable, Sendable, Equatable {
  /// The newest publication that was accepted: its serial and the SHA-256 of its head; nil before the first update.
  public var seen: Manifest.Link?
  /// The newest root that was followed to: the complete file as it was fetched; nil while only a key is known.
  public var root: Data?

  /// Creates a state; by default the one before the first update.
  /// - Parameters:
  ///   - seen: the newest publication that was accepted.
  ///   - root: the complete file of the newest root.
  public init(seen: Manifest.Link? = nil, root: Data? = nil) {
    self.seen = seen
    self.root = root
  }

  /// Returns the content of the file.
  /// - Throws: errors of `JSONEncoder`.
  public func encoded() throws -> Data {
    Data(try CanonicalJSON.encode(self))
  }

  /// Reads the content of a file.
  /// - Parameter bytes: the complete file.
  /// - Throws: ``UpdateError`` with `malformed`, including a serial below 1.
  public init(decoding data: Data) throws(UpdateError) {
    guard data.count <= CanonicalJSON.limit, let state = try? JSONDecoder().decode(UpdateState.self, from: data),
      (state.seen?.serial ?? 1) >= 1
    else { throw .malformed("The update state is damaged") }
    self = state
  }
}
