// SPDX-License-Identifier: Apache-2.0

import CallerPack
import FileSupport
public import Foundation
public import OutboundHTTP

/// Fetches a publication into a folder, for `ringfence fetch`.
///
/// Steps: follow the roots; fetch and check the manifest with its bins and descriptions; fetch a delta where it is
/// smaller, else the pack, and check the pack; replace the set in one step.
public struct UpdateFetcher: Sendable {
  private let source: UpdateSource
  private let folder: FetchFolder
  private let anchor: TrustAnchor
  private let choice: FetchChoice
  private let downloader: Downloader
  private let lock: FolderLock

  /// - Parameters:
  ///   - folder: created if it is new.
  ///   - key: for a server that requires one; sent only to its own server, and not across redirects.
  ///   - retries: the most retries of one request without progress.
  /// - Throws: ``FetchError``: `busy`, `cannotWrite`.
  public init(
    source: UpdateSource, folder: String, anchor: TrustAnchor, choice: FetchChoice = FetchChoice(),
    client: OutboundHTTP, key: AppKey? = nil, retries: Int = 6
  ) throws {
    self.source = source
    lock = try FetchFolder.lock(folder)
    self.folder = try FetchFolder(folder)
    self.anchor = anchor
    self.choice = choice
    downloader = Downloader(client: client, source: source, key: key, retries: retries)
  }

  /// - Parameters:
  ///   - now: the time for checks of expiry.
  ///   - progress: called with a text for each step.
  /// - Throws: ``FetchError``; the folder's current set is unchanged.
  public func run(at now: Date = Date(), progress: @Sendable (String) -> Void = { _ in }) async throws -> FetchSummary {
    do {
      return try await update(now, progress)
    } catch let error as UpdateError {
      throw FetchError.refused(error)
    }
  }

  private func update(_ now: Date, _ progress: @Sendable (String) -> Void) async throws -> FetchSummary {
    let former = try formerState()
    let known = try trustStore(after: former)
    progress("Reading the manifest")
    let documents = PublicationDocuments(downloader: downloader)
    let trust = try await documents.followed(known)
    guard let file = try await downloader.document(source.manifest, limit: Envelope.limit) else {
      throw FetchError.missing(source.manifest.absoluteString)
    }
    let verified = try trust.verify(manifest: file, at: now, state: former)
    let state = FetchState(anchor: anchor.id, update: trust.state(after: verified))

    // Parts of the current set are not fetched again.
    let (manifest, parts) = try await documents.manifest(of: verified.head, wanted: choice.packs) { folder.held($0) }
    let held = try folder.held()
    let items = try choice.items(of: manifest, held: held)
    let isSame = held["manifest.json"]?.digest == PackDigest.of([UInt8](file))
    let isWhole = items.allSatisfy { $0.isHeld } && Set(held.keys) == Set(items.map(\.name) + ["manifest.json"])
    if isSame, isWhole {
      try folder.keep(state)
      return summary(manifest, former, items, at: folder.currentSet ?? "current", isNew: false)
    }

    try folder.stage()
    for item in items {
      if !item.isHeld { progress("Fetching \(item.name)") }
      try await put(item, held)
    }
    for (part, bytes) in parts { try folder.put(bytes, as: part) }
    try LocalFile.replace("\(folder.staging)/manifest.json", with: file)
    let before = folder.currentSet
    let set = try folder.seal(serial: manifest.serial)
    try folder.keep(state)
    try folder.reveal(set)
    folder.sweep(keeping: [set, before ?? set])
    return summary(manifest, former, items, at: set, isNew: true)
  }

  /// The state of the last run with the same key or root.
  private func formerState() throws -> UpdateState {
    guard let state = try folder.state(), state.anchor == anchor.id else { return UpdateState() }
    return state.update
  }

  private func trustStore(after former: UpdateState) throws -> TrustStore {
    guard let root = former.root else { return try anchor.trust() }
    return try TrustStore(root: root)
  }

  /// Adds one file to the new set.
  private func put(_ item: FetchItem, _ held: [String: HeldFile]) async throws {
    switch item.way {
    case .carry(let file):
      try folder.carry(file, as: item.name)
    case .delta(let update, let base):
      do {
        try await apply(update, base, as: item.name)
      } catch is UpdateError {
        // Whatever the problem of the delta is, the complete pack replaces it.
        try await fetch(item)
      }
    case .whole:
      try await fetch(item)
    }
  }

  private func apply(_ update: PackUpdate, _ base: HeldFile, as name: String) async throws {
    guard case .delta(let delta) = update.step else { return }
    let partial = folder.partial(delta.sha256)
    defer { try? FileManager.default.removeItem(atPath: partial) }
    do {
      try await downloader.file(delta.path, bytes: delta.bytes, to: partial)
    } catch FetchError.missing(let address) {
      throw UpdateError.wrongFile(path: address, expected: "a delta", got: "nothing")
    } catch FetchError.refused(let error) {
      throw error
    }
    try update.apply(deltaAt: partial, base: base.path, to: "\(folder.staging)/\(name)")
  }

  /// Fetches a complete file. A resumed download with wrong content is repeated once from the beginning.
  private func fetch(_ item: FetchItem) async throws {
    let partial = folder.partial(item.sha256)
    for _ in 0..<2 {
      let isNew = try await downloader.file(item.path, bytes: item.bytes, to: partial)
      do {
        try item.check(partial)
        return try folder.move(partial, as: item.name)
      } catch let error as UpdateError {
        try? FileManager.default.removeItem(atPath: partial)
        if isNew { throw error }
      }
    }
  }

  private func summary(
    _ manifest: Manifest, _ former: UpdateState, _ items: [FetchItem], at set: String, isNew: Bool
  ) -> FetchSummary {
    FetchSummary(
      manifest: manifest, formerSerial: former.seen?.serial, isNew: isNew,
      changed: items.filter { !$0.isHeld }.map(\.name), items: items, folder: folder.path, set: set,
      fetchedBytes: downloader.fetched.total)
  }
}
