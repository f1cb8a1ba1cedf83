// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Fetching
import Foundation
import OutboundHTTP
import Storage

/// Reads the evidence of a pack that another server publishes, for a refresh and for a preview.
struct SubscriptionReader: Sendable {
  /// The name of the pack.
  let pack: String
  private let settings: SourceFeed.Settings
  private let fetcher: SubscriptionFetcher
  private let folder: String
  private let limits: FeedLimits
  /// The end of the time of all requests.
  private let deadline: ContinuousClock.Instant

  /// - Parameter folder: for temporary files.
  /// - Throws: ``FeedFailure``.
  init(_ settings: SourceFeed.Settings, client: OutboundHTTP, folder: String, limits: FeedLimits) throws {
    let options = settings.options
    guard let source = UpdateSource(settings.url) else { throw FeedFailure.invalidAddress }
    var key: Fetching.AppKey?
    if let path = options.keyFile {
      guard let origin = source.origin, origin.isPrivate else { throw FeedFailure.keyWithoutHTTPS }
      key = Fetching.AppKey(try FeedDownload.key(in: path), for: origin)
      guard key != nil else { throw FeedFailure.keyUnreadable(path) }
    }
    pack = options.pack ?? ""
    fetcher = SubscriptionFetcher(source: source, anchor: try Self.anchor(options), client: client, key: key)
    self.settings = settings
    self.folder = folder
    self.limits = limits
    deadline = .now + limits.total
  }

  private static func anchor(_ options: FeedOptions) throws -> TrustAnchor {
    if let key = options.trustedKey.flatMap({ VerifyingKey($0) }) { return TrustAnchor(key: key) }
    guard let root = options.trustedRoot.flatMap({ Data(base64Encoded: $0) }) else {
      throw FeedFailure.untrustedKey([])
    }
    do {
      return try TrustAnchor(root: root)
    } catch let error as UpdateError {
      throw FeedFailure(error)
    }
  }

  /// The newest publication; nil where the manifest still has the entity tag.
  /// - Throws: ``FeedFailure``.
  func newest(
    after state: UpdateState = UpdateState(), unless etag: String? = nil, at time: Date
  ) async throws -> SubscriptionFetcher.Publication? {
    try await limited { try await fetcher.newest(pack, after: state, unless: etag, at: time) }
  }

  /// The id of a publication's server.
  /// - Throws: ``FeedFailure``.
  func serverID(of publication: SubscriptionFetcher.Publication) async throws -> String {
    try await limited { try await fetcher.serverID(of: publication) }
  }

  /// The evidence file of the pack.
  /// - Throws: ``FeedFailure`` where there is no pack, or it has none.
  func evidence(in publication: SubscriptionFetcher.Publication) throws -> ManifestPack.File {
    guard let description = publication.manifest.packs.first else { throw FeedFailure.noPack(pack) }
    guard let file = description.formats.first(where: { $0.format == EvidenceHeader.format }) else {
      throw FeedFailure.noEvidence(pack)
    }
    return file
  }

  /// Downloads an evidence file, checks it and reads its rows.
  /// - Parameter server: the id of the publication's server.
  /// - Throws: ``FeedFailure``, with which nothing of the file is used.
  func content(of file: ManifestPack.File, from server: String) async throws -> FeedContent {
    guard file.bytes <= limits.fileBytes else { throw FeedFailure.answerTooLong(maximumBytes: limits.fileBytes) }
    let compressed = try FeedFile(folder: folder)
    try await limited { try await fetcher.fetch(file, to: compressed.path) }
    let plain = try await FeedExpansion(folder: folder, limit: limits.expandedBytes).gunzipped(compressed)
    let evidence = EvidenceFile(
      server: server, options: settings.options, ceiling: settings.ceiling, most: limits.entries)
    return try await evidence.read(plain.path)
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
          throw FeedFailure.tookTooLong(seconds: total.components.seconds)
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
      }
    } catch let error as FetchError {
      throw FeedFailure(error)
    }
  }
}
