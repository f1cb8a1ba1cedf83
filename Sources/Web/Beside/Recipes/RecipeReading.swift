public import Curation
public import Publishing

/// The file of recipes as it is now, which may differ from what the server was started with.
public struct RecipeReading: Sendable {
  /// Where it lies.
  public var file: String
  /// What it says, or what is wrong with it.
  public var outcome: Result<[Recipe], RecipeFileError>

  /// - Parameters: see the properties.
  public init(file: String, outcome: Result<[Recipe], RecipeFileError>) {
    self.file = file
    self.outcome = outcome
  }
}
