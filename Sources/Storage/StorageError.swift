/// What the database holds that this version does not understand.
public enum StorageError: Error, Equatable, CustomStringConvertible {
  /// A row names a category that this version does not know.
  case unknownCategory(id: Int16)

  /// What it is, and what to do, in plain English.
  public var description: String {
    switch self {
    case .unknownCategory(let id):
      "The database has a category \(id) that this version does not know. Run the version that added it, or a later one."
    }
  }
}
