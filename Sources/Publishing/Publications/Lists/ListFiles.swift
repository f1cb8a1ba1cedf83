// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
package import CallerPack
import Foundation
package import PackFormats

/// The newest publication's packs in the formats of other programs, with the numbers to block alone.
///
/// A file is made of its pack when it is first asked for, and kept in the folder `.lists` until the pack changes. One
/// file is made at a time.
package actor ListFiles {
  /// One file: a pack in a format.
  package struct Request: Sendable {
    package let pack: ManifestPack
    package let format: ListFormat
    /// The serial from which on the changes are wanted; nil for the complete list.
    package let since: Int64?
    /// Whether the file is compressed with gzip.
    package let isCompressed: Bool

    package init(pack: ManifestPack, format: ListFormat, since: Int64? = nil, isCompressed: Bool = false) {
      self.pack = pack
      self.format = format
      self.since = since
      self.isCompressed = isCompressed
    }
  }

  private let folder: PublicationFolder
  private var running: [String: Task<Void, any Error>] = [:]
  private var last: Task<Void, any Error>?
  private var known: (serial: Int64, task: Task<[ListOffer], any Error>)?
  /// The packs of the two newest publications that were asked for, the newest first. The files of both are kept: a client
  /// may be opening one of the earlier publication.
  private var kept: [(serial: Int64, packs: Set<String>)] = []

  package init(folder: PublicationFolder) {
    self.folder = folder
  }

  /// The name changes with the content of the formats, so that no file of an earlier program is served.
  private var path: String { folder.filePath(".lists/1") }

  /// Returns the path of a file, which is made if it is missing.
  /// - Throws: `PackFormatError` for a list that the format cannot hold, and file errors.
  package func file(_ request: Request, of manifest: Manifest) async throws -> String {
    let base = base(of: request, newest: manifest.serial)
    var plain = "\(path)/\(Self.prefix(of: request.pack))"
    if let base { plain += "-since-\(base.serial)" }
    plain += ".\(request.format.fileExtension)"
    let wanted = request.isCompressed ? "\(plain).gz" : plain
    if FileManager.default.fileExists(atPath: wanted) { return wanted }
    if let task = running[wanted] {
      try await task.value
      return wanted
    }
    let previous = last
    let list = ListBuild(folder: folder, pack: request.pack, format: request.format, base: base?.path)
    if manifest.serial > kept.first?.serial ?? 0 {
      kept = [(manifest.serial, Set(manifest.packs.map(Self.prefix)))] + kept.prefix(1)
    }
    let current = kept.reduce(into: Set<String>()) { $0.formUnion($1.packs) }
    let task = Task(executorPreference: ConcurrentQueueExecutor.publishing) { [path] in
      _ = await previous?.result
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      Self.removeOthers(than: current, in: path)
      if !FileManager.default.fileExists(atPath: plain) { try list.write(plain) }
      if request.isCompressed { try list.compress(plain, to: wanted) }
    }
    running[wanted] = task
    last = task
    defer { running[wanted] = nil }
    try await task.value
    return wanted
  }

  /// Returns the lists of a publication that programs can take: of packs with numbers to block, in the formats whose
  /// limit they keep.
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
  private func base(of request: Request, newest: Int64) -> (serial: Int64, path: String)? {
    guard let since = request.since, since > 0, since <= newest else { return nil }
    if since >= request.pack.serial { return (request.pack.serial, folder.filePath(request.pack.path)) }
    let path = folder.filePath(PublicationFolder.packFile(name: request.pack.name, serial: since))
    return FileManager.default.fileExists(atPath: path) ? (since, path) : nil
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
