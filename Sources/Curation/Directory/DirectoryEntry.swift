/// A number and what a directory calls it; sources that disagree are settled already.
public struct DirectoryEntry: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The name, cleaned; not empty.
  public var name: String
  /// The directory's own kind of business, where it has one.
  public var category: String?
  /// Decayed calls that phones told of, at the time asked for; 0 where there are none.
  public var identifications: Double

  /// - Parameters: see the properties.
  public init(number: Int64, name: String, category: String? = nil, identifications: Double = 0) {
    self.number = number
    self.name = name
    self.category = category
    self.identifications = identifications
  }
}
