#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Whom a client trusts, and what it makes of documents that claim to come from them. Pure: the caller does the network.
///
/// An update goes like this:
/// 1. begin with the root in ``UpdateState``, else with the one that came with the app, else with a key;
/// 2. ask for `roots/N.root.json` with ``nextRootSerial``, ``follow(_:)`` it, and so on until there is none;
/// 3. ask for `manifest.json`, ``verify(manifest:at:state:)`` it;
/// 4. let ``ManifestReader`` say which bins and descriptions to ask for, and hand them to it;
/// 5. let ``UpdatePlanner`` say what to fetch, fetch it, check it, put it in place;
/// 6. keep ``state(after:)``.
public struct TrustStore: Sendable, Equatable {
  private var keys: [VerifyingKey]
  private var threshold: Int
  /// The newest root that was followed to; nil while only a key is known.
  public private(set) var root: Root?
  private var rootFile: Data?

  /// Trusts one key and nothing else: that of a manifest's signature, or of a root's.
  /// - Parameter key: as `ringfence keys list` prints it.
  public init(key: VerifyingKey) {
    keys = [key]
    threshold = 1
  }

  /// Trusts the keys of a root that came on a way that is trusted, such as within an app.
  /// - Parameter file: the whole content of a root's file; it must be signed by its own keys.
  /// - Throws: ``UpdateError``.
  public init(root file: Data) throws(UpdateError) {
    let (envelope, root) = try Self.open(file)
    try envelope.check(signedBy: root.keys, threshold: root.threshold)
    (keys, threshold) = (root.keys, root.threshold)
    (self.root, rootFile) = (root, file)
  }

  /// The serial of the root to ask for next. With only a key it is 1: go on asking for the next also while
  /// ``follow(_:)`` throws `unknownKey`, for the key may have come with a later one.
  public var nextRootSerial: Int { (root?.serial ?? 0) + 1 }

  /// Takes the next root's keys in place of those trusted so far.
  ///
  /// It must be signed by those trusted so far and by its own, and, when a root is known already, be the very next.
  /// - Throws: ``UpdateError``; what is trusted stays as it was.
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

  /// Checks a manifest: signatures, form, expiry, that it is not older than what was seen and continues it.
  /// - Parameters:
  ///   - file: the whole content of `manifest.json`.
  ///   - now: the time by the client's clock.
  ///   - state: what was seen before.
  /// - Throws: ``UpdateError`` that says which.
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

  /// What to remember when the packs of this manifest are in place.
  public func state(after manifest: VerifiedManifest) -> UpdateState {
    UpdateState(seen: manifest.link, root: rootFile)
  }

  private static func open(_ file: Data) throws(UpdateError) -> (Envelope, Root) {
    let envelope = try Envelope(decoding: [UInt8](file), payloadType: Root.payloadType)
    return (envelope, try Root(decoding: envelope.payload))
  }
}

/// A manifest whose signatures are good. They cover its other parts by their digests, which ``ManifestReader`` checks.
public struct VerifiedManifest: Sendable, Equatable {
  /// The signed part.
  public let head: ManifestHead
  /// Its serial and SHA-256.
  public let link: Manifest.Link

  /// Whether this is the publication that was seen before.
  public func isSame(as state: UpdateState) -> Bool { state.seen == link }

  /// A client that has missed publications cannot see how the chain goes on; but the one it saw must not lie between
  /// a publication and the one that this names before it.
  func check(continues seen: Manifest.Link) throws(UpdateError) {
    guard link.serial >= seen.serial else { throw .downgrade(seen: seen.serial, got: link.serial) }
    if link == seen { return }
    guard link.serial > seen.serial, let previous = head.previous, previous.serial >= seen.serial,
      previous.serial > seen.serial || previous == seen
    else { throw .brokenChain(seen: seen.serial, got: link.serial) }
  }
}
