/// An app that may send reports, or an imported list.
public struct App: Sendable, Equatable {
  /// Key of its row.
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
  /// The key it showed; nil for a list, and where no key was asked for.
  public var keyID: Int32?
  /// What that key may do.
  public var scopes: AppScopes = []
}
