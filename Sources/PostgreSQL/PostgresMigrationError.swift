// SPDX-License-Identifier: Apache-2.0

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
  /// Two files have the same version.
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
      holds a table that it changes. It changed nothing. Find the transaction in pg_stat_activity (xact_start), let it \
      finish or end it, and run ringfence migrate again.
      """
    case .failed(let version, let name, let error):
      "Migration \(version)_\(name) failed and was rolled back. \(error)"
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
