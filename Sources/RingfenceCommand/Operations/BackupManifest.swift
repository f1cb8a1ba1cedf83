// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// The description of a backup in `backup.json`.
struct BackupManifest: Codable, Sendable, Equatable {
  /// A file of the backup.
  struct File: Codable, Sendable, Equatable {
    /// Relative to the backup's folder.
    let path: String
    let bytes: Int
    /// 64 hex digits.
    let sha256: String
  }

  /// The newest publication.
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
  /// The value of `server_version_num`.
  var postgresVersion: Int
  /// The versions of the applied migrations.
  var migrations: [Int64]
  /// The count of rows of each table.
  var tables: [String: Int64]
  /// The publication in the folder; nil before the first publication.
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
      throw CommandFailure.unreadable("\(folder) has no \(fileName): it is no backup, or one that was broken off.")
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
