package import Curation
package import Publishing

/// The file of recipes as it is now, which may differ from what the server was started with.
package struct RecipeReading: Sendable {
  /// Where it lies.
  package var file: String
  /// What it says, or what is wrong with it.
  package var outcome: Result<[Recipe], RecipeFileError>

  /// - Parameters: see the properties.
  package init(file: String, outcome: Result<[Recipe], RecipeFileError>) {
    self.file = file
    self.outcome = outcome
  }
}
