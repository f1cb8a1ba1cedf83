// SPDX-License-Identifier: Apache-2.0

public import CallerPack
import Support
public import OutboundHTTP

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Fetches a publication into a folder, for `ringfence fetch`.
///
/// Steps: follow the roots; fetch and check the manifest with its bins and descriptions; fetch a delta where it is
/// smaller, else the pack, and check the pack; replace the set in one step.
public struct UpdateFetcher: Sendable {
  private let folder: FetchFolder
  private let choice: FetchChoice
  private let session: UpdateSession<Downloader>
  private let lock: FolderLock

  /// - Parameters:
  ///   - folder: created if it is new.
  ///   - key: for a server that requires one; sent only to its own server, and not across redirects.
  ///   - product: what the server is told, with the serial that the folder has; nil for nothing.
  ///   - retries: the most retries of one request without progress.
  /// - Throws: ``FetchError``: `busy`, `cannotWrite`.
  public init(
    source: UpdateSource, folder: String, anchor: TrustAnchor, choice: FetchChoice = FetchChoice(),
    client: OutboundHTTP, key: AppKey? = nil, product: ClientProduct? = nil, retries: Int = 6
  ) throws {
    lock = try FetchFolder.lock(folder)
    self.folder = try FetchFolder(folder)
    self.choice = choice
    session = UpdateSession(
      Downloader(client: client, source: source, key: key, retries: retries, product: product), anchor: anchor)
  }

  /// - Parameters:
  ///   - now: the time for checks of expiry.
  ///   - progress: called with a text for each step.
  /// - Throws: ``FetchError``; the folder's current set is unchanged.
  public func run(at now: Date = Date(), progress: @Sendable (String) -> Void = { _ in }) async throws -> FetchSummary {
    try await FetchError.converting { try await update(now, progress) }
  }

  private func update(_ now: Date, _ progress: @Sendable (String) -> Void) async throws -> FetchSummary {
    let former = try folder.state()?.state(for: session.anchor) ?? UpdateState()
    progress("Reading the manifest")
    // Parts of the current set are not fetched again.
    let publication: UpdateSession<Downloader>.Publication
    do {
      publication = try await session.newest(after: former, at: now, wanted: choice.packs) { folder.held($0) }
    } catch UpdateError.noSuchPack(let name) {
      throw FetchError.noSuchPack(name, offered: try await session.packNames(after: former, at: now))
    }
    let (manifest, file) = (publication.manifest, publication.file)
    let state = SavedUpdate(publication.state, anchor: session.anchor)
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
      try await put(item)
    }
    for (part, bytes) in publication.parts { try folder.put(bytes, as: part) }
    try LocalFile.replace("\(folder.staging)/manifest.json", with: file)
    let before = folder.currentSet
    let set = try folder.seal(serial: manifest.serial)
    try folder.keep(state)
    try folder.reveal(set)
    folder.sweep(keeping: [set, before ?? set])
    return summary(manifest, former, items, at: set, isNew: true)
  }

  /// Adds one file to the new set.
  private func put(_ item: FetchItem) async throws {
    let target = "\(folder.staging)/\(item.name)"
    switch item.way {
    case .carry(let file):
      try folder.carry(file, as: item.name)
    case .pack(let update, let base):
      _ = try await session.fetch(update, base: base?.path ?? "", partial: folder.partial, to: target)
    case .other:
      try await session.fetch(
        item.path, bytes: item.bytes, sha256: item.sha256, partial: folder.partial, to: target
      ) { file in try FetchError.check(file, item.path, sha256: item.sha256) }
    }
  }

  private func summary(
    _ manifest: Manifest, _ former: UpdateState, _ items: [FetchItem], at set: String, isNew: Bool
  ) -> FetchSummary {
    FetchSummary(
      manifest: manifest, formerSerial: former.seen?.serial, isNew: isNew,
      changed: items.filter { !$0.isHeld }.map(\.name), items: items, folder: folder.path, set: set,
      fetchedBytes: session.transport.fetched.total)
  }
}

public struct FetchSummary: Sendable {
  let manifest: Manifest
  let formerSerial: Int64?
  let isNew: Bool
  let changed: [String]
  let items: [FetchItem]
  let folder: String
  let set: String
  let fetchedBytes: Int

  /// Whether files were added, removed or changed.
  public var hasChanged: Bool { !changed.isEmpty }

  /// The text for the user of the command.
  public var text: String {
    guard isNew else { return "Publication \(manifest.serial): nothing new." }
    let lines = items.map { item -> String in
      let how =
        switch item.way {
        case .carry: "unchanged"
        case .pack(let update, _):
          if case .delta = update.step { "by a delta of \(update.bytes) bytes" } else { "fetched" }
        case .other: "fetched"
        }
      let entries = item.update.pack.entries
      let what = item.format == nil ? "\(entries) number\(entries == 1 ? "" : "s"), " : ""
      return "  \(folder)/current/\(item.name): \(what)\(item.bytes) bytes, \(how)"
    }
    return (["Publication \(manifest.serial), \(fetchedBytes) bytes fetched"] + lines).joined(separator: "\n")
  }

  /// One `key=value` in each line, for `$GITHUB_OUTPUT` and a shell's `.`. Characters of a name other than ASCII
  /// letters and digits become `_`, a name that begins with a digit gets one before it, and values contain no spaces.
  public var lines: String {
    var facts: [(String, String)] = [
      ("changed", "\(hasChanged)"), ("serial", "\(manifest.serial)"), ("previous_serial", "\(formerSerial ?? 0)"),
      ("issued", manifest.issued.documentTime), ("expires", manifest.expires.documentTime),
      ("set", set), ("fetched_bytes", "\(fetchedBytes)"),
    ]
    for item in items where item.format == nil {
      let plain = String(item.update.pack.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
      let name = plain.first?.isNumber == true ? "_\(plain)" : plain
      facts += [
        ("\(name)_changed", "\(!item.isHeld)"), ("\(name)_entries", "\(item.update.pack.entries)"),
        ("\(name)_bytes", "\(item.bytes)"), ("\(name)_sha256", item.sha256),
        ("\(name)_file", "current/\(item.name)"),
      ]
    }
    return facts.map { "\($0)=\($1)\n" }.joined()
  }
}
