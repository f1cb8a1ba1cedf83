/// What tells one series of a metric from another. Its values must be few and known: never a number, a name or an
/// address that a caller can choose.
public struct Label: Sendable, Hashable {
  /// Letters, digits and underscores.
  public let name: String
  /// Any text.
  public let value: String

  /// - Parameters: see the properties.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
