/// The reason why migrations did not run. `description` is safe to show.
public enum PostgresMigrationError: Error, Sendable {
  /// The file of an applied version is missing.
  case missing(version: Int64, name: String)
  /// The file of an applied version has changed.
  case changed(version: Int64, name: String)
  /// A script failed and was rolled back.
  case failed(version: Int64, name: String, error: PostgresError)
  /// A script ended its transaction, so it may be partly applied.
  case endedItsTransaction(version: Int64, name: String)
  /// A file is older than the newest version applied.
  case outOfOrder(version: Int64, name: String, newestApplied: Int64)
  /// A file is not named `20261121120000_name.sql`.
  case misnamed(file: String)
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
    case .failed(let version, let name, let error):
      "Migration \(version)_\(name) failed and was rolled back. \(error)"
    case .endedItsTransaction(let version, let name):
      "Migration \(version)_\(name) ends its own transaction. Remove COMMIT and ROLLBACK from it, and check the schema."
    case .outOfOrder(let version, let name, let newest):
      "Migration \(version)_\(name) is older than \(newest), which was applied. Give it a newer version."
    case .misnamed(let file): "Migration \(file) is not named like 20261121120000_name.sql."
    case .duplicate(let version): "Two migrations have the version \(version). Give one of them a newer version."
    case .unreadable(let file): "Cannot read \(file) as UTF-8 text. Check the file and its permissions."
    }
  }
}
