// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Support

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder that publications are fetched into, so that readers never see a mix of two:
///
///     current -> sets/12-7d1f0a62    the newest set: one rename of this link changes all files at once
///     sets/12-7d1f0a62/              manifest.json, its bins and descriptions, and packs; immutable
///     sets/11-03b8c1d4/              the set before, for programs that still read it
///     state.json                     the trusted root, and the newest publication seen
///     partial/                       interrupted downloads
///
/// A set is written as `sets/.new`, flushed to disk, and renamed; then state.json is replaced, and last the link. If
/// the process is killed at any point, `current` still points at a complete set. The state is written before the link,
/// so that an interruption between the two cannot admit an older publication. The next run reads the files of the
/// current set from disk and completes the link.
struct FetchFolder: Sendable {
  let path: String

  /// Creates the folder if it is new, and locks it for this process.
  /// - Throws: ``FetchError``.
  init(_ path: String) throws {
    self.path = path
    try LocalFile.makeFolder("\(path)/sets")
    try LocalFile.makeFolder(partial)
    try? FileManager.default.removeItem(atPath: staging)
  }

  var current: String { "\(path)/current" }
  var staging: String { "\(path)/sets/.new" }
  private var statePath: String { "\(path)/state.json" }

  var partial: String { "\(path)/partial" }

  /// The state of the last run; nil before the first.
  func state() throws -> SavedUpdate? {
    guard let data = try LocalFile.read(URL(filePath: statePath), limit: 1 << 20) else { return nil }
    guard let state = try? JSONDecoder().decode(SavedUpdate.self, from: data) else {
      throw FetchError.refused(.malformed("\(statePath) is damaged. Delete the folder to start again"))
    }
    return state
  }

  func keep(_ state: SavedUpdate) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try LocalFile.replace(statePath, with: try encoder.encode(state))
  }

  /// SHA-256 and length of the files of the current set, by name; read from disk, not from the state.
  func held() throws -> [String: HeldFile] {
    var held: [String: HeldFile] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: current)) ?? [] {
      let file = "\(current)/\(name)"
      guard let digest = try? PackDigest.ofFile(file) else { continue }
      held[name] = HeldFile(path: file, digest: digest)
    }
    return held
  }

  /// A part of a manifest in the current set; nil where it is missing.
  func held(_ part: ManifestPart) -> [UInt8]? {
    let file = URL(filePath: "\(current)/\(part.path)")
    return (try? LocalFile.read(file, limit: ManifestPart.limit))?.map { [UInt8]($0) }
  }

  /// Writes a part of the manifest to the new set.
  func put(_ bytes: [UInt8], as part: ManifestPart) throws {
    let file = URL(filePath: "\(staging)/\(part.path)")
    try LocalFile.makeFolder(file.deletingLastPathComponent().path)
    try LocalFile.failing { try CompleteFile.replace(file.path, with: bytes, mode: 0o644, flushing: .nothing) }
  }

  /// Creates an empty new set.
  func stage() throws { try LocalFile.makeFolder(staging) }

  /// Adds an unchanged file of the current set to the new set.
  func carry(_ file: HeldFile, as name: String) throws {
    let target = "\(staging)/\(name)"
    // Some file systems have no hard links.
    if link(URL(filePath: file.path).resolvingSymlinksInPath().path, target) == 0 { return }
    do {
      try FileManager.default.copyItem(atPath: file.path, toPath: target)
      try LocalFile.flush(target)
    } catch {
      throw LocalFile.failure(target)
    }
  }

  /// Flushes the new set and renames it to its final name.
  /// - Returns: the path relative to this folder.
  func seal(serial: Int64) throws -> String {
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: staging)) ?? [] {
      try LocalFile.flush("\(staging)/\(name)")
    }
    try LocalFile.flush(staging)
    let set = "sets/\(serial)-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
    guard rename(staging, "\(path)/\(set)") == 0 else { throw LocalFile.failure("\(path)/\(set)") }
    try LocalFile.flush("\(path)/sets")
    return set
  }

  /// Points `current` at a set, atomically.
  func reveal(_ set: String) throws {
    let link = "\(path)/.current"
    unlink(link)
    guard symlink(set, link) == 0, rename(link, current) == 0 else { throw LocalFile.failure(current) }
    try LocalFile.flush(path)
  }

  /// Removes old sets, and downloads that are not needed for this one.
  func sweep(keeping kept: [String]) {
    for folder in ["sets", "partial"] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []
      where !kept.contains("\(folder)/\(name)") {
        try? FileManager.default.removeItem(atPath: "\(path)/\(folder)/\(name)")
      }
    }
  }

  /// The set that `current` points at, relative to this folder; nil before the first.
  var currentSet: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: current) }
}

/// A file of the current set.
struct HeldFile: Sendable {
  let path: String
  let digest: PackDigest
}

extension FetchFolder {
  /// Takes the lock of a folder, which is made when it is new: one fetch at a time.
  /// - Throws: ``FetchError``: `busy`, `cannotWrite`.
  static func lock(_ folder: String) throws -> FolderLock {
    try LocalFile.makeFolder(folder)
    do throws(FileFailure) {
      return try FolderLock(folder: folder)
    } catch {
      throw error.isHeld ? FetchError.busy(folder) : .cannotWrite("Cannot write \(error).")
    }
  }
}
