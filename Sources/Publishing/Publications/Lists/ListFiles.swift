// SPDX-License-Identifier: Apache-2.0

import ServerSupport
package import CallerPack
import Foundation
package import PackFormats

/// The newest publication's packs in the formats of other programs, with the numbers to block alone.
///
/// A file is made of its pack when it is first asked for, and kept in the folder `.lists` until the pack changes. One
/// file is made at a time, and one of PhoneBlock's at the same time, which waits for the database.
package actor ListFiles {
  /// One file: a pack in a format.
  package struct Request: Sendable {
    package let pack: ManifestPack
    package let format: ListFormat
    /// The serial from which on the changes are wanted; nil for the complete list.
    package let since: Int64?
    /// Whether the file is compressed with gzip.
    package let isCompressed: Bool
    /// Whether it also has the numbers that are only labeled, in a format that tells them apart.
    package let hasLabeled: Bool

    package init(
      pack: ManifestPack, format: ListFormat, since: Int64? = nil, isCompressed: Bool = false, hasLabeled: Bool = false
    ) {
      self.hasLabeled = hasLabeled
      self.pack = pack
      self.format = format
      self.since = since
      self.isCompressed = isCompressed
    }
  }

  private enum Kind {
    case formats, phoneBlock
  }

  private let folder: PublicationFolder
  private var running: [String: Task<Void, any Error>] = [:]
  /// The newest task of each kind; each waits for the one before it.
  private var last: [Kind: Task<Void, any Error>] = [:]
  private var known: (serial: Int64, task: Task<[ListOffer], any Error>)?
  /// The packs of the two newest publications that were asked for, the newest first. The files of both are kept: a client
  /// may be opening one of the earlier publication.
  private var kept: [(serial: Int64, packs: Set<String>)] = []

  package init(folder: PublicationFolder) {
    self.folder = folder
  }

  /// The name changes with the content of the formats, so that no file of an earlier program is served.
  ///
  /// If the folder cannot be written, such as after an error of its disk, files are in the temporary folder.
  private var path: String {
    let usual = folder.filePath(".lists/1")
    try? FileManager.default.createDirectory(atPath: usual, withIntermediateDirectories: true)
    return access(usual, W_OK | X_OK) == 0 ? usual : temporary
  }

  private let temporary = FileManager.default.temporaryDirectory.appending(path: "ringfence-lists-\(getpid())").path

  /// Returns the path of a file, which is made if it is missing.
  /// - Parameter hottest: the numbers to block, the most reported first: those that a format with a limit keeps.
  /// - Throws: file errors, and the errors of `hottest`.
  package func file(
    _ request: Request, of manifest: Manifest, hottest: @escaping @Sendable () async throws -> [Int64]
  ) async throws -> String {
    let base = base(of: request.pack, since: request.since, newest: manifest.serial)
    let list = ListBuild(
      folder: folder, pack: request.pack, format: request.format, base: base?.path, hasLabeled: request.hasLabeled,
      hottest: hottest)
    let name = Self.name(
      of: request.pack, since: base?.serial, (request.hasLabeled ? "labels." : "") + request.format.fileExtension)
    return try await make(
      name, of: request.pack, isCompressed: request.isCompressed, in: manifest, as: .formats, write: list.write)
  }

  /// Returns the path of PhoneBlock's block list of a pack in JSON or XML, which is made if it is missing.
  /// - Parameters:
  ///   - since: the serial from which on the changes are wanted; nil for the complete list.
  ///   - figures: the figures of all these numbers. An error leaves no file.
  package func phoneBlockList(
    of pack: ManifestPack, isXML: Bool, since: Int64?, isCompressed: Bool, in manifest: Manifest,
    figures: @escaping @Sendable ([Int64]) async throws -> [Int64: PhoneBlockFigures]
  ) async throws -> String {
    // A version between two of the pack may be one of another pack.
    let earlier = base(of: pack, since: since, newest: manifest.serial)
    let base = earlier?.serial == since ? earlier : nil
    let list = PhoneBlockListBuild(folder: folder, pack: pack, isXML: isXML, base: base?.path, figures: figures)
    let name = Self.name(of: pack, since: base?.serial, isXML ? "phoneblock.xml" : "phoneblock.json")
    return try await make(
      name, of: pack, isCompressed: isCompressed, in: manifest, as: .phoneBlock, write: list.write)
  }

  /// - Parameter write: writes the file of this name, which is not compressed.
  private func make(
    _ name: String, of pack: ManifestPack, isCompressed: Bool, in manifest: Manifest, as kind: Kind,
    write: @escaping @Sendable (String) async throws -> Void
  ) async throws -> String {
    let path = path
    let plain = "\(path)/\(name)"
    let wanted = isCompressed ? "\(plain).gz" : plain
    if FileManager.default.fileExists(atPath: wanted) { return wanted }
    if let task = running[wanted] {
      try await task.value
      return wanted
    }
    let previous = last[kind]
    if manifest.serial > kept.first?.serial ?? 0 {
      kept = [(manifest.serial, Set(manifest.packs.map(Self.prefix)))] + kept.prefix(1)
    }
    let current = kept.reduce(into: Set<String>()) { $0.formUnion($1.packs) }
    let task = Task(executorPreference: ConcurrentQueueExecutor.publishing) { [path, folder] in
      _ = await previous?.result
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      Self.removeOthers(than: current, in: path)
      if !FileManager.default.fileExists(atPath: plain) {
        try await write(plain)
        try Self.setTime(plain, of: pack, in: folder)
      }
      guard isCompressed else { return }
      try GzipFile.compress(URL(filePath: plain), to: URL(filePath: wanted))
      try Self.setTime(wanted, of: pack, in: folder)
    }
    running[wanted] = task
    last[kind] = task
    defer { running[wanted] = nil }
    try await task.value
    return wanted
  }

  /// Sets the time of the pack, so that every server has the same `Last-Modified`.
  private static func setTime(_ path: String, of pack: ManifestPack, in folder: PublicationFolder) throws {
    let time = try PackReader.open(path: folder.filePath(pack.path)).header.createdAt
    guard time > 0 else { return }
    let date = Date(timeIntervalSince1970: TimeInterval(time))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
  }

  /// Returns the lists of a publication that programs can take: of packs with numbers to block.
  package func offers(of manifest: Manifest) async throws -> [ListOffer] {
    if let known, known.serial == manifest.serial { return try await known.task.value }
    let task = Task(executorPreference: ConcurrentQueueExecutor.publishing) { [folder] in
      try manifest.packs.compactMap { try ListOffer(of: $0, in: folder) }
    }
    known = (manifest.serial, task)
    do {
      return try await task.value
    } catch {
      known = nil
      throw error
    }
  }

  /// The earlier pack that changes start from; nil for a complete list. A serial that this server has not published, such
  /// as one before a backup was restored, and one whose pack is no longer kept, give the complete list.
  private func base(of pack: ManifestPack, since: Int64?, newest: Int64) -> (serial: Int64, path: String)? {
    guard let since, since > 0, since <= newest else { return nil }
    if since >= pack.serial { return (pack.serial, folder.filePath(pack.path)) }
    let path = folder.filePath(PublicationFolder.packFile(name: pack.name, serial: since))
    return FileManager.default.fileExists(atPath: path) ? (since, path) : nil
  }

  private static func name(of pack: ManifestPack, since: Int64?, _ fileExtension: String) -> String {
    "\(prefix(of: pack))\(since.map { "-since-\($0)" } ?? "").\(fileExtension)"
  }

  private static func prefix(of pack: ManifestPack) -> String {
    "\(pack.name)-\(pack.serial)-\(pack.sha256.prefix(16))"
  }

  /// Removes the files of other packs, and what an interrupted program has left.
  private static func removeOthers(than prefixes: Set<String>, in path: String) {
    for file in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
      let isCurrent = prefixes.contains { file.hasPrefix("\($0).") || file.hasPrefix("\($0)-since-") }
      // Another server on the same folder may be writing a file that begins with a dot.
      let isWritten = file.hasPrefix(".") && !isOlder("\(path)/\(file)", than: 86_400)
      if !isCurrent, !isWritten { try? FileManager.default.removeItem(atPath: "\(path)/\(file)") }
    }
  }

  private static func isOlder(_ file: String, than seconds: TimeInterval) -> Bool {
    let changed = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
    return changed.map { -$0.timeIntervalSinceNow > seconds } ?? false
  }
}

/// A pack of the newest publication with numbers to block.
package struct ListOffer: Sendable {
  /// The numbers with one label.
  package struct Category: Sendable, Equatable {
    package let label: String
    package let entries: Int
  }

  /// More labels than these are names of callers and not categories.
  private static let maxCategories = 32

  package let pack: ManifestPack
  /// The count of numbers to block.
  package let entries: Int
  /// The labels of these numbers, the most frequent first; empty if the pack has none, or names of callers.
  package let categories: [Category]

  /// - Returns: nil for a pack that only identifies.
  init?(of pack: ManifestPack, in folder: PublicationFolder) throws {
    guard pack.kind != "identification" else { return nil }
    let reader = try PackReader.open(path: folder.filePath(pack.path))
    let entries = reader.header.blockingCount
    self.pack = pack
    self.entries = entries
    categories = reader.header.identificationCount > 0 ? try Self.categories(of: reader) : []
  }

  /// The count of numbers that a file of a format has: at most as many as its programs can use.
  package func entries(in format: ListFormat) -> Int { min(entries, format.maximumEntries ?? .max) }

  private static func categories(of reader: PackReader) throws -> [Category] {
    var counts: [String: Int] = [:]
    let cursor = try reader.makeCursor()
    while try cursor.next() {
      guard cursor.roles.contains(.blocks), let label = cursor.label else { continue }
      counts[label, default: 0] += 1
      if counts.count > maxCategories { return [] }
    }
    return counts.map { Category(label: $0.key, entries: $0.value) }
      .sorted { ($1.entries, $0.label) < ($0.entries, $1.label) }
  }
}
