// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

public struct PostgresMigration: Sendable, Equatable {
  /// Fourteen digits, a time in UTC.
  public let version: Int64
  /// The part of the file's name after the version.
  public let name: String
  /// Whether older programs can go on using the schema.
  public let kind: Kind
  /// SHA-256 of the script, 64 hexadecimal digits.
  public let checksum: String
  /// When it was applied; nil when it is pending.
  public let appliedAt: Date?
  /// How long the script took, in milliseconds; nil when it is pending.
  public let durationMilliseconds: Int64?
  public let state: State

  /// The programs that can use the schema after a migration.
  public enum Kind: String, Sendable {
    /// It only adds, so that programs which do not know it go on working.
    case expand
    /// It removes or restricts: only programs that know it can use the schema.
    case contract
  }

  /// The state of a migration in a database, as this program sees it.
  public enum State: String, Sendable {
    /// It was applied, and the file is the same.
    case applied
    case pending
    /// It was applied, and the file has changed since.
    case changed
    /// It was applied, and the file is missing.
    case missing
    /// A newer program applied it. It is an expand migration, so this program can use the schema.
    case newer
    /// A newer program applied it. It is a contract migration, so this program cannot use the schema.
    case incompatible
    /// It is to be applied, and a newer one was already.
    case outOfOrder
  }
}

/// One migration: a file named `20261121120000_name.sql`, whose first line is `-- expand` or `-- contract`.
///
/// With `, concurrently` after that word the script runs outside a transaction. It is one statement, which can be
/// repeated: `CREATE INDEX CONCURRENTLY IF NOT EXISTS …`.
struct MigrationFile: Sendable {
  let version: Int64
  let name: String
  let kind: PostgresMigration.Kind
  /// Whether the script runs outside a transaction.
  let isConcurrent: Bool
  let script: String

  /// Reads every `.sql` file of a folder, in the order of versions.
  ///
  /// - Throws: `PostgresMigrationError` of kind `unreadable`, `misnamed`, `duplicate` or `undeclared`.
  static func all(in folder: String) throws -> [MigrationFile] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw PostgresMigrationError.unreadable(file: "the folder of migrations")
    }
    var files: [MigrationFile] = []
    for fileName in names.sorted() where fileName.hasSuffix(".sql") && !fileName.hasPrefix(".") {
      guard let match = fileName.wholeMatch(of: /([0-9]{14})_([a-z0-9_]+)\.sql/), let version = Int64(match.1) else {
        throw PostgresMigrationError.misnamed(file: fileName)
      }
      if files.last?.version == version { throw PostgresMigrationError.duplicate(version: version) }
      guard let data = FileManager.default.contents(atPath: folder + "/" + fileName),
        let script = String(validating: data, as: UTF8.self), !script.utf8.contains(0)
      else { throw PostgresMigrationError.unreadable(file: fileName) }
      guard let first = script.split(separator: "\n", maxSplits: 1).first,
        let declared = first.wholeMatch(of: /-- (expand|contract)(, concurrently)? */),
        let kind = PostgresMigration.Kind(rawValue: String(declared.1))
      else { throw PostgresMigrationError.undeclared(file: fileName) }
      files.append(
        MigrationFile(
          version: version, name: String(match.2), kind: kind, isConcurrent: declared.2 != nil, script: script))
    }
    return files
  }
}

/// The reason why migrations did not run. `description` is safe to show.
public enum PostgresMigrationError: Error, Sendable {
  /// The file of an applied version is missing.
  case missing(version: Int64, name: String)
  /// The file of an applied version has changed.
  case changed(version: Int64, name: String)
  /// A newer program applied a contract migration, so this one cannot use the schema. `known` is the newest version
  /// that this program knows.
  case incompatible(version: Int64, name: String, known: Int64)
  /// A script did not get its locks in time; nothing of it was kept.
  case locked(version: Int64, name: String, after: Duration)
  /// A script failed; nothing of it was kept.
  case failed(version: Int64, name: String, error: PostgresError)
  /// A script ended its transaction, so it may be partly applied.
  case endedItsTransaction(version: Int64, name: String)
  /// A file is older than the newest version applied.
  case outOfOrder(version: Int64, name: String, newestApplied: Int64)
  /// A file is not named `20261121120000_name.sql`.
  case misnamed(file: String)
  /// A file's first line does not say whether it is an expand or a contract migration.
  case undeclared(file: String)
  case duplicate(version: Int64)
  /// A file or the folder cannot be read as UTF-8 text.
  case unreadable(file: String)
}

extension PostgresMigrationError: CustomStringConvertible {
  /// One or two sentences, with the cause and the remedy.
  public var description: String {
    switch self {
    case .missing(let version, let name):
      "Migration \(version)_\(name) was applied, but its file is missing. Restore the file, or run a newer release."
    case .changed(let version, let name):
      "Migration \(version)_\(name) was changed after it was applied. Restore the file and write a new migration."
    case .incompatible(let version, let name, let known):
      """
      This program knows the schema up to \(known). The database has contract migration \(version)_\(name), after which \
      older programs cannot use it. Start a program that knows \(version), or restore a backup from before it.
      """
    case .locked(let version, let name, let limit):
      """
      Migration \(version)_\(name) did not get its locks within \(limit.components.seconds) s, because a transaction \
      holds a table that it changes. Nothing is half changed. Find the transaction in pg_stat_activity (xact_start), let it \
      finish or end it, and run ringfence migrate again.
      """
    case .failed(let version, let name, let error):
      "Migration \(version)_\(name) failed, and nothing is half changed. \(error)"
    case .endedItsTransaction(let version, let name):
      "Migration \(version)_\(name) ends its own transaction. Remove COMMIT and ROLLBACK from it, and check the schema."
    case .outOfOrder(let version, let name, let newest):
      "Migration \(version)_\(name) is older than \(newest), which was applied. Give it a newer version."
    case .misnamed(let file): "Migration \(file) is not named like 20261121120000_name.sql."
    case .undeclared(let file):
      "Migration \(file) does not declare its kind. Make its first line -- expand or -- contract."
    case .duplicate(let version): "Two migrations have the version \(version)."
    case .unreadable(let file): "Reading \(file) as UTF-8 text failed."
    }
  }
}
