// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Support
import Foundation

/// The description of a backup in `backup.json`.
struct BackupManifest: Codable, Sendable, Equatable {
  struct File: Codable, Sendable, Equatable {
    /// Relative to the backup's folder.
    let path: String
    let bytes: Int
    /// 64 hex digits.
    let sha256: String
  }

  struct Newest: Codable, Sendable, Equatable {
    let serial: Int64
    /// The SHA-256 of the manifest's signed part.
    let sha256: String
  }

  /// A base backup, which has the files of the private PostgreSQL instead of a dump.
  struct Base: Codable, Sendable, Equatable {
    /// The segment of the write-ahead log with which a recovery begins.
    let firstSegment: String
  }

  static let fileName = "backup.json"
  static let baseFiles = "base"
  static let dump = "database.dump"
  static let keys = "keys"
  static let publications = "publications"
  static let recipes = "recipes.yaml"

  /// The format's version, 1; a program refuses unknown versions.
  var format = 1
  /// The time of the snapshot by this machine's clock, RFC 3339.
  var madeAt: String
  /// Whether all tables are of one moment; false for a cluster, whose nodes have no common snapshot.
  var isOfOneMoment = true
  /// The value of `server_version_num`.
  var postgresVersion: Int
  var migrations: [Int64]
  /// The count of rows of each table in the dump; empty for a base backup.
  var tables: [String: Int64]
  /// Nil before the first publication.
  var publication: Newest?
  /// Whether key files are included; keys from the environment never are.
  var hasKeys: Bool
  /// Nil for a dump.
  var base: Base?
  /// All files except this one, by path.
  var files: [File]

  func write(to folder: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try BackupFiles.write(try encoder.encode(self), to: "\(folder)/\(Self.fileName)")
  }

  /// Reads the manifest of a backup and checks every file in it.
  /// - Throws: ``CommandFailure`` with the error.
  static func checked(in folder: String) throws -> BackupManifest {
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(fileName)") else {
      throw CommandFailure.unreadable("\(folder) has no \(fileName): it is no backup, or an interrupted one.")
    }
    guard let manifest = try? JSONDecoder().decode(BackupManifest.self, from: data) else {
      throw CommandFailure.failed("\(folder)/\(fileName) is damaged. Use another backup.")
    }
    guard manifest.format == 1 else {
      throw CommandFailure.failed("The backup has format \(manifest.format); this program knows 1. Use a newer one.")
    }
    if let base = manifest.base, WALSegment(base.firstSegment) == nil {
      throw CommandFailure.failed("\(folder)/\(fileName) is damaged. Use another backup.")
    }
    for file in manifest.files {
      let names = file.path.split(separator: "/", omittingEmptySubsequences: false)
      guard !names.isEmpty, names.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
        throw CommandFailure.failed("\(fileName) names \(file.path), which may lie outside of the backup.")
      }
      let found: PackDigest
      do {
        found = try PackDigest.ofFile("\(folder)/\(file.path)")
      } catch {
        throw CommandFailure.failed("\(file.path) of the backup is missing or cannot be read. Use another backup.")
      }
      guard found.hex == file.sha256 else {
        throw CommandFailure.failed("\(file.path) of the backup is not what was saved. Use another backup.")
      }
    }
    return manifest
  }
}

/// Files of a backup: readable only by their owner, and flushed to disk before the backup gets its name.
enum BackupFiles {
  static func makeFolder(_ path: String) throws {
    do throws(FileFailure) {
      try PrivateFile.makeFolder(path)
    } catch {
      throw CommandFailure.unreadable("Cannot create the folder \(path): \(error.reason).")
    }
  }

  /// Another program that writes to the file later keeps its permissions.
  static func write(_ data: Data, to path: String) throws {
    do throws(FileFailure) {
      try PrivateFile.create(path, data)
    } catch {
      throw CommandFailure.unreadable("\(path) cannot be written: \(error.reason).")
    }
  }

  /// Copies a file in pieces.
  static func copy(_ source: String, to target: String, mode: mode_t = 0o600) throws {
    let parent = (target as NSString).deletingLastPathComponent
    if mode & 0o044 == 0 {
      try makeFolder(parent)
    } else {
      try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    }
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw CommandFailure.unreadable("\(source) cannot be read.") }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard output >= 0 else { throw CommandFailure.unreadable("\(target) cannot be written.") }
    defer { close(output) }
    let failed = copyContent(of: input, to: output)
    if failed == .read { throw CommandFailure.unreadable("\(source) cannot be read.") }
    guard failed == nil, fchmod(output, mode) == 0, flushToDisk(output) else {
      throw CommandFailure.unreadable("\(target) cannot be written. Is the disk full?")
    }
  }

  /// Renames a complete file or folder to an unused name.
  static func name(_ path: String, _ target: String) throws {
    let isFile = FileIdentity(path: path) != nil
    // A rename would replace an existing file, so files are linked. It does not replace a folder that is not empty.
    var code = (isFile ? link(path, target) : rename(path, target)) == 0 ? 0 : errno
    if isFile, code != 0, code != EEXIST {
      // Some file systems have no hard links; there the name is only checked before the rename.
      code = FileManager.default.fileExists(atPath: target) ? EEXIST : rename(path, target) == 0 ? 0 : errno
    }
    guard ![EEXIST, ENOTEMPTY, ENOTDIR].contains(code) else {
      throw CommandFailure.unreadable("Another backup created \(target) in the meantime. It was not changed.")
    }
    guard code == 0 else { throw CommandFailure.unreadable("\(target) cannot be written.") }
  }

  /// Temporary files and folders of other backups with the same name.
  static func leftovers(of target: String) -> [String] {
    let (folder, name) = ((target as NSString).deletingLastPathComponent, (target as NSString).lastPathComponent)
    let there = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return there.filter { $0.hasPrefix("\(name).") && $0.hasSuffix(".partial") }.sorted().map { "\(folder)/\($0)" }
  }

  static func described(_ path: String, in folder: String) throws -> BackupManifest.File {
    let file = "\(folder)/\(path)"
    let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    return BackupManifest.File(path: path, bytes: size, sha256: try PackDigest.ofFile(file).hex)
  }

  /// Flushes a file's content, or a folder's names, to disk.
  static func flush(_ path: String) throws {
    do throws(FileFailure) {
      try flushToDisk(path)
    } catch {
      throw CommandFailure.unreadable("Cannot write \(path): \(error.reason). Is the disk full?")
    }
  }
}
