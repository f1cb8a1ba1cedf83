import CallerPack
import FileSupport
import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder that publications are fetched into, so that nobody who reads it ever sees a mix of two:
///
///     current -> sets/12-7d1f0a62    the newest set: one rename of this link changes all files at once
///     sets/12-7d1f0a62/              manifest.json, its bins and descriptions, and packs; never changed once it has this name
///     sets/11-03b8c1d4/              the set before, for whoever still reads it
///     state.json                     whom is trusted, and the newest publication seen
///     partial/                       downloads that broke off
///
/// A set is made as `sets/.new`, flushed to disk, and given its name; then state.json is replaced, and last the link.
/// Killed at any moment, `current` leads to a whole set. What is seen is written before the link, not after it: so a
/// kill between the two cannot let an older publication in; the files that are held are read, not remembered, so the
/// next run makes up for the link.
struct FetchFolder: Sendable {
  let path: String

  /// Makes it when it is new, and takes it for this process.
  /// - Throws: ``FetchError``.
  init(_ path: String) throws {
    self.path = path
    try LocalFile.makeFolder("\(path)/sets")
    try LocalFile.makeFolder("\(path)/partial")
    try? FileManager.default.removeItem(atPath: staging)
  }

  var current: String { "\(path)/current" }
  var staging: String { "\(path)/sets/.new" }
  private var statePath: String { "\(path)/state.json" }

  /// Where a download of a content goes.
  func partial(_ sha256: String) -> String { "\(path)/partial/\(sha256)" }

  /// What the last run has left.
  func state() throws -> FetchState? {
    guard let data = try LocalFile.read(URL(filePath: statePath), limit: 1 << 20) else { return nil }
    guard let state = try? JSONDecoder().decode(FetchState.self, from: data) else {
      throw FetchError.refused(.malformed("\(statePath) is damaged. Delete the folder to start again"))
    }
    return state
  }

  func keep(_ state: FetchState) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try LocalFile.replace(statePath, with: try encoder.encode(state))
  }

  /// SHA-256 and length of the files of the current set, by their names; read, not remembered.
  func held() throws -> [String: HeldFile] {
    var held: [String: HeldFile] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: current)) ?? [] {
      let file = "\(current)/\(name)"
      guard let digest = try? PackDigest.ofFile(file) else { continue }
      held[name] = HeldFile(path: file, digest: digest)
    }
    return held
  }

  /// A part of a manifest that the current set has; nil for any other.
  func held(_ part: ManifestPart) -> [UInt8]? {
    let file = URL(filePath: "\(current)/\(part.path)")
    return (try? LocalFile.read(file, limit: ManifestPart.limit))?.map { [UInt8]($0) }
  }

  /// Puts a part of the manifest into the new set.
  func put(_ bytes: [UInt8], as part: ManifestPart) throws {
    let file = URL(filePath: "\(staging)/\(part.path)")
    try LocalFile.makeFolder(file.deletingLastPathComponent().path)
    do {
      try Data(bytes).write(to: file)
    } catch {
      throw LocalFile.failure("write", file.path)
    }
  }

  /// Begins an empty set.
  func stage() throws { try LocalFile.makeFolder(staging) }

  /// Takes a file that is held into the new set, as it is.
  func carry(_ file: HeldFile, as name: String) throws {
    let target = "\(staging)/\(name)"
    // Some file systems have no second names.
    if link(URL(filePath: file.path).resolvingSymlinksInPath().path, target) == 0 { return }
    do {
      try FileManager.default.copyItem(atPath: file.path, toPath: target)
      try LocalFile.flush(target)
    } catch {
      throw LocalFile.failure("write", target)
    }
  }

  /// Moves a finished download into the new set.
  func move(_ partial: String, as name: String) throws {
    guard rename(partial, "\(staging)/\(name)") == 0 else { throw LocalFile.failure("write", "\(staging)/\(name)") }
  }

  /// Gives the new set its name.
  /// - Returns: path relative to this folder.
  func seal(serial: Int64) throws -> String {
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: staging)) ?? [] {
      try LocalFile.flush("\(staging)/\(name)")
    }
    try LocalFile.flush(staging)
    let set = "sets/\(serial)-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
    guard rename(staging, "\(path)/\(set)") == 0 else { throw LocalFile.failure("write", "\(path)/\(set)") }
    try LocalFile.flush("\(path)/sets")
    return set
  }

  /// Lets `current` lead to a set, at once.
  func reveal(_ set: String) throws {
    let link = "\(path)/.current"
    unlink(link)
    guard symlink(set, link) == 0, rename(link, current) == 0 else { throw LocalFile.failure("write", current) }
    try LocalFile.flush(path)
  }

  /// Removes sets that nobody reads any more, and downloads that were not finished for this one.
  func sweep(keeping kept: [String]) {
    for folder in ["sets", "partial"] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []
      where !kept.contains("\(folder)/\(name)") {
        try? FileManager.default.removeItem(atPath: "\(path)/\(folder)/\(name)")
      }
    }
  }

  /// The set that `current` leads to, relative to this folder; nil before the first.
  var currentSet: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: current) }
}

/// A file of the current set.
struct HeldFile: Sendable {
  let path: String
  let digest: PackDigest
}

/// What is remembered from one run to the next.
struct FetchState: Codable, Sendable {
  /// SHA-256 of the key or root that the run was given: with another one everything begins anew.
  var anchor: String
  var update: UpdateState
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
