// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Support
import Foundation

/// Updates packs: roots → manifest, its bins and descriptions → checks → deltas or packs → checks → moves into place.
///
/// The state is saved before the packs are moved into place. If the process is killed in between, older publications
/// stay refused, and the next run compares the files themselves and fetches the rest.
actor PackUpdater {
  private let configuration: ClientConfiguration
  private let session: UpdateSession<PackDownloader>
  private let environment: ClientEnvironment
  /// Packs are checked and flushed on a queue of their own, so that reports do not wait for them.
  nonisolated let files = FileExecutor(label: "ringfence.client.packs")
  nonisolated var unownedExecutor: UnownedSerialExecutor { files.asUnownedSerialExecutor() }

  init(
    _ configuration: ClientConfiguration, transport: any ClientTransport, environment: ClientEnvironment
  ) throws(ClientError) {
    guard let anchor = configuration.anchor else {
      throw .configuration("Give the client a key or a root: without one no pack can be trusted.")
    }
    self.configuration = configuration
    self.environment = environment
    let downloader = PackDownloader(
      transport: transport, source: configuration.publications,
      key: configuration.publicationsAreTheServers ? configuration.key : nil, product: configuration.product,
      environment: environment)
    session = UpdateSession(downloader, anchor: anchor)
  }

  static func packs(in folder: URL) -> URL { folder.appendingPathComponent("packs") }

  private var packs: String { Self.packs(in: configuration.folder).path }
  private var partial: String { configuration.folder.appendingPathComponent("partial").path }
  private var seenPath: String { configuration.folder.appendingPathComponent("seen.json").path }

  func run(_ wanted: Set<String>?) async throws -> PackUpdateResult {
    do {
      return try await update(wanted)
    } catch let error as UpdateError {
      throw ClientError.refused(error)
    } catch let error as FileFailure {
      throw ClientError(error)
    }
  }

  private func update(_ wanted: Set<String>?) async throws -> PackUpdateResult {
    try ClientFiles.makeFolder(packs)
    try ClientFiles.makeFolder(partial)
    let publication = try await session.newest(after: formerState(), at: environment.now(), wanted: wanted)
    let manifest = publication.manifest
    let updates = try UpdatePlanner.plan(manifest, wanted: wanted, held: held(manifest)).filter { $0.step != .none }
    var fetched = 0
    for update in updates {
      let name = update.pack.name
      fetched += try await session.fetch(update, base: path(name), partial: partial, to: staged(name))
    }
    let seen = SavedUpdate(publication.state, anchor: session.anchor)
    try ClientFiles.replace(seenPath, with: try JSONEncoder().encode(seen))
    for update in updates {
      try ClientFiles.move(staged(update.pack.name), to: path(update.pack.name))
    }
    sweep()
    return PackUpdateResult(
      serial: manifest.serial, changed: updates.map(\.pack.name).sorted(), fetchedBytes: fetched)
  }

  private func path(_ name: String) -> String { "\(packs)/\(name).rfpack" }
  private func staged(_ name: String) -> String { "\(partial)/\(name).staged" }

  private func formerState() -> UpdateState {
    ClientFiles.read(seenPath, limit: 8 << 20).flatMap { try? JSONDecoder().decode(SavedUpdate.self, from: $0) }?
      .state(for: session.anchor) ?? UpdateState()
  }

  /// Returns the digests of the manifest's packs that are in the folder, by name.
  private func held(_ manifest: Manifest) -> [String: PackDigest] {
    manifest.packs.reduce(into: [:]) { held, pack in held[pack.name] = try? PackDigest.ofFile(path(pack.name)) }
  }

  /// Removes downloads that no update needs any more.
  private func sweep() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: partial)) ?? [] {
      try? FileManager.default.removeItem(atPath: "\(partial)/\(name)")
    }
  }
}

/// The outcome of an update of packs.
public struct PackUpdateResult: Sendable, Equatable {
  /// The serial of the publication after the update.
  public let serial: Int64
  /// The names of packs that changed.
  public let changed: [String]
  /// The size of the packs and deltas that were downloaded, in bytes.
  public let fetchedBytes: Int
}

/// Downloads files of a publication with a size limit, retries with growing pauses, and continues interrupted
/// downloads.
struct PackDownloader: UpdateTransport {
  let transport: any ClientTransport
  /// The manifest's folder.
  let source: URL
  /// The app's key if the source is the server that knows it; otherwise nil.
  let key: String?
  let product: ClientProduct?
  let environment: ClientEnvironment

  private static let attempts = 4

  /// A failure that a retry may fix, with the seconds that the server requests.
  private struct RetryableFailure: Error {
    let asked: Double?
  }

  func document(_ path: String, limit: Int, fields: [String: String]) async throws -> Data? {
    var request = request(path)
    request.fields.merge(fields) { _, new in new }
    return try await retrying { [request] in
      let (head, data) = try await transport.send(request, limit: limit)
      if let refusal = head.keyRefusal(hasKey: key != nil) { throw ClientError.key(refusal) }
      switch head.status {
      case 200: return data
      // An object store answers 403 for a missing file.
      case 403, 404, 410: return nil
      default: throw fault(head)
      }
    }
  }

  func missing(_ path: String) -> any Error { ClientError.status(404) }

  func isAboutFile(_ error: any Error) -> Bool {
    if case ClientError.status = error { true } else { false }
  }

  func file(_ path: String, bytes: Int, to target: String) async throws -> Bool {
    let partial = try ClientFiles.failing { () throws(FileFailure) in try PartialFile(target, limit: bytes) }
    let isNew = partial.length == 0
    while partial.length < bytes {
      let before = partial.length
      try await retrying { try await download(path, to: partial) }
      if partial.length == before { throw ClientError.network("The answer was empty.") }
    }
    return isNew
  }

  private func download(_ path: String, to partial: PartialFile) async throws {
    var request = request(path)
    let start = partial.length
    // No If-Range: a name is never used for another content, and the SHA-256 is checked in the end.
    if start > 0 { request.fields["Range"] = "bytes=\(start)-" }
    try await transport.send(request) { head in
      if let refusal = head.keyRefusal(hasKey: key != nil) { throw ClientError.key(refusal) }
      if (200..<300).contains(head.status) { try head.checkBody(limit: partial.limit) }
      switch head.status {
      case 200: try ClientFiles.failing { () throws(FileFailure) in try partial.restart() }
      case 206 where start > 0 && head["Content-Range"]?.hasPrefix("bytes \(start)-") == true: break
      default: throw fault(head)
      }
    } body: { data in
      guard try ClientFiles.failing({ () throws(FileFailure) in try partial.append(data) }) else {
        throw ClientError.network("The response is longer than announced.")
      }
    }
  }

  private func request(_ path: String) -> ClientRequest {
    ClientRequest(
      "GET", source.appendingPathComponent(path), fields: key.map { ["Authorization": "Bearer \($0)"] } ?? [:])
  }

  private func fault(_ head: ClientHead) -> any Error {
    head.status >= 500 || head.status == 429 || head.status == 408
      ? RetryableFailure(asked: head.retryAfter(at: environment.now())) : ClientError.status(head.status)
  }

  private func retrying<Result>(_ work: () async throws -> Result) async throws -> Result {
    var backoff = Backoff()
    while true {
      let asked: Double?
      do {
        return try await work()
      } catch let failure as RetryableFailure {
        asked = failure.asked
      } catch let error as ClientError {
        // Waiting fixes neither an error of a file nor a status.
        guard case .network = error else { throw error }
        asked = nil
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        asked = nil
      }
      let seconds = backoff.fail(asked: asked, chance: environment.chance())
      guard backoff.failures < Self.attempts, seconds <= 60 else {
        throw ClientError.network("The publication cannot be fetched now.")
      }
      try await environment.sleep(seconds)
    }
  }
}
