/// An app that may send reports.
public struct App: Sendable, Equatable {
  /// Key of its row.
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
}
