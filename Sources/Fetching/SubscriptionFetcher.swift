// SPDX-License-Identifier: Apache-2.0

public import CallerPack
public import OutboundHTTP

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Reads a pack's description and files of other formats from a publication, with the checks of ``UpdateFetcher``. The
/// caller keeps the state.
public struct SubscriptionFetcher: Sendable {
  /// A publication with valid signatures that continues the one before.
  public struct Publication: Sendable {
    /// The manifest with the wanted pack alone; without packs where the publication does not have it.
    public let manifest: Manifest
    /// The state to save before anything of the publication is used.
    public let state: UpdateState
    /// The serial of the newest root; 0 where only a key is known.
    public let rootSerial: Int
    /// The entity tag of the manifest; nil where the server sends none.
    public let etag: String?
    /// When the manifest or the newest root expires.
    public let expires: Date
  }

  private let session: UpdateSession<Downloader>

  /// - Parameters:
  ///   - key: for a server that requires one; sent only to its own server.
  ///   - retries: the most retries of one request without progress.
  public init(
    source: UpdateSource, anchor: TrustAnchor, client: OutboundHTTP, key: AppKey? = nil, retries: Int = 1
  ) {
    session = UpdateSession(Downloader(client: client, source: source, key: key, retries: retries), anchor: anchor)
  }

  /// The newest publication.
  /// - Parameters:
  ///   - pack: the wanted pack.
  ///   - state: the state of the last publication that was accepted.
  ///   - etag: the entity tag of its manifest, while it has not expired; nil to read the manifest in any case.
  ///   - now: the time for checks of expiry.
  /// - Returns: nil where the manifest still has the entity tag.
  /// - Throws: ``FetchError``.
  public func newest(
    _ pack: String, after state: UpdateState, unless etag: String?, at now: Date
  ) async throws -> Publication? {
    try await FetchError.converting {
      let address = session.transport.source.manifest
      switch try await session.transport.document(address, limit: Envelope.limit, unless: etag) {
      case .missing: throw FetchError.missing(address.absoluteString)
      case .unchanged: return nil
      case .content(let file, let etag):
        let trust = try await session.trust(after: state)
        let verified = try trust.verify(manifest: file, at: now, state: state)
        let manifest = try await manifest(of: verified.head, with: pack)
        return Publication(
          manifest: manifest, state: trust.state(after: verified), rootSerial: trust.root?.serial ?? 0, etag: etag,
          expires: min(verified.head.expires, trust.root?.expires ?? .distantFuture))
      }
    }
  }

  private func manifest(of head: ManifestHead, with pack: String) async throws -> Manifest {
    do {
      return try await session.manifest(of: head, wanted: [pack]).0
    } catch UpdateError.noSuchPack {
      return try await session.manifest(of: head, wanted: []).0
    }
  }

  /// The id of a publication's server; see ``Root/serverID(ofFirst:)``.
  ///
  /// The chain from the first root must lead to the newest, so that no two servers have one id.
  /// - Throws: ``FetchError``.
  public func serverID(of publication: Publication) async throws -> String {
    try await FetchError.converting {
      guard let newest = publication.state.root, let first = try await session.root(1) else {
        throw session.transport.missing(Root.path(serial: 1))
      }
      var trust = try TrustStore(root: first)
      while trust.nextRootSerial <= publication.rootSerial {
        let serial = trust.nextRootSerial
        guard let file = try await session.root(serial) else {
          throw session.transport.missing(Root.path(serial: serial))
        }
        try trust.follow(file)
      }
      guard try trust == TrustStore(root: newest) else {
        throw UpdateError.malformed("The roots do not lead from the first to the newest")
      }
      return Root.serverID(ofFirst: PackDigest.of([UInt8](first)))
    }
  }

  /// Downloads a file of a publication to a path, and checks its size and digest.
  /// - Throws: ``FetchError``.
  public func fetch(_ file: ManifestPack.File, to path: String) async throws {
    try await FetchError.converting {
      _ = try await session.transport.file(file.path, bytes: file.bytes, to: path)
      try FetchError.check(path, file.path, sha256: file.sha256)
    }
  }
}
