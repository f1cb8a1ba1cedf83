// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Fetching
import Foundation
import OutboundHTTP
import Storage

/// Reads the evidence of a pack that another server publishes, for a refresh and for a preview.
struct SubscriptionReader: Sendable {
  let pack: String
  private let settings: Source.Settings
  private let fetcher: SubscriptionFetcher
  private let folder: String
  private let limits: SourceReadLimits
  /// The end of the time of all requests.
  private let deadline: ContinuousClock.Instant

  /// - Parameter folder: for temporary files.
  /// - Throws: ``SourceFailure``.
  init(_ settings: Source.Settings, client: OutboundHTTP, folder: String, limits: SourceReadLimits) throws {
    let options = settings.options
    guard let source = UpdateSource(settings.url) else { throw SourceFailure.invalidAddress }
    var key: Fetching.AppKey?
    if let path = options.keyFile {
      let text = try SourceDownload.key(in: path, for: source.origin)
      key = source.origin.flatMap { Fetching.AppKey(text, for: $0) }
      guard key != nil else { throw SourceFailure.keyUnreadable(path: path) }
    }
    pack = options.pack ?? ""
    fetcher = SubscriptionFetcher(source: source, anchor: try Self.anchor(options), client: client, key: key)
    self.settings = settings
    self.folder = folder
    self.limits = limits
    deadline = .now + limits.total
  }

  private static func anchor(_ options: SourceOptions) throws -> TrustAnchor {
    if let key = options.trustedKey.flatMap({ VerifyingKey($0) }) { return .key(key) }
    guard let root = options.trustedRoot.flatMap({ Data(base64Encoded: $0) }) else {
      throw SourceFailure.untrustedKey(keys: "")
    }
    do {
      return try .root(checking: root)
    } catch {
      throw SourceFailure(error)
    }
  }

  /// The newest publication; nil where the manifest still has the entity tag.
  /// - Throws: ``SourceFailure``.
  func newest(
    after state: UpdateState = UpdateState(), unless etag: String? = nil, at time: Date
  ) async throws -> SubscriptionFetcher.Publication? {
    try await limited { try await fetcher.newest(pack, after: state, unless: etag, at: time) }
  }

  /// - Throws: ``SourceFailure``.
  func serverID(of publication: SubscriptionFetcher.Publication) async throws -> String {
    try await limited { try await fetcher.serverID(of: publication) }
  }

  /// The evidence file of the pack.
  /// - Throws: ``SourceFailure`` where there is no pack, or it has none.
  func evidence(in publication: SubscriptionFetcher.Publication) throws -> ManifestPack.File {
    guard let description = publication.manifest.packs.first else { throw SourceFailure.noPack(pack: pack) }
    guard let file = description.formats.first(where: { $0.format == ProvenanceHeader.format }) else {
      throw SourceFailure.noEvidence(pack: pack)
    }
    return file
  }

  /// Downloads an evidence file, checks it and reads its rows.
  /// - Parameter server: the id of the publication's server.
  /// - Throws: ``SourceFailure``, with which nothing of the file is used.
  func content(of file: ManifestPack.File, from server: String) async throws -> SourceContent {
    guard file.bytes <= limits.fileBytes else { throw SourceFailure.answerTooLong(maximumBytes: limits.fileBytes) }
    let compressed = try SourceFile(folder: folder)
    try await limited { try await fetcher.fetch(file, to: compressed.path) }
    let plain = try await SourceExpansion(folder: folder, limits: limits).gunzipped(compressed)
    let evidence = ProvenanceFile(
      server: server, options: settings.options, ceiling: settings.ceiling, most: limits.entries)
    return try await evidence.read(plain.path, within: limits.work)
  }

  /// Converts errors, and ends requests when the time of all together is over.
  private func limited<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let (total, deadline) = (limits.total, deadline)
    do {
      return try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(operation: body)
        group.addTask {
          try await Task.sleep(until: deadline)
          throw SourceFailure.tookTooLong(seconds: total.components.seconds)
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
      }
    } catch let error as FetchError {
      throw SourceFailure(error)
    }
  }
}

/// The id of this server, which other servers know as an origin.
struct OwnServer: Sendable {
  /// Nil before the first publication, and while it is not known.
  let id: String?
  /// False where the server has published, and its publication folder has no first root.
  let isKnown: Bool

  /// - Parameter serverID: reads the id from the publication folder.
  init(_ serverID: @Sendable () throws -> String?, _ stores: Stores) async throws {
    do {
      id = try serverID()
    } catch {
      (id, isKnown) = (nil, false)
      return
    }
    if id == nil { isKnown = try await stores.publications.latest() == nil } else { isKnown = true }
  }

  /// The rule for the rows of another server's evidence file.
  func rule(for publisher: String, among subscriptions: [Subscription]) -> ProvenanceOrigins {
    // A new subscription displaces nothing before its entries are stored.
    let subscribed = subscriptions.filter { $0.isRead }.compactMap(\.serverID)
    return ProvenanceOrigins(own: id, isOwnKnown: isKnown, publisher: publisher, subscribed: Set(subscribed))
  }
}
