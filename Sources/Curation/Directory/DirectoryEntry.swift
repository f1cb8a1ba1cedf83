// SPDX-License-Identifier: Apache-2.0

/// A number with its name in the directory, chosen from all sources.
public struct DirectoryEntry: Sendable, Equatable {
  /// The most bytes of a name and of a category; longer ones are cut between characters.
  public static let (nameBytes, categoryBytes) = (400, 100)

  /// E.164 digits.
  public var number: Int64
  /// The name, cleaned; not empty.
  public var name: String
  /// The directory's own category, where it has one.
  public var category: String?
  /// Decayed calls that phones counted, at the requested time; 0 where there are none.
  public var identifications: Double

  public init(number: Int64, name: String, category: String? = nil, identifications: Double = 0) {
    self.number = number
    self.name = name
    self.category = category
    self.identifications = identifications
  }
}
