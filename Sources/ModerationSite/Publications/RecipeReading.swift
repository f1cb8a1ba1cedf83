// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Publishing

/// The current recipe file, which may differ from the one read at the server's start.
package struct RecipeReading: Sendable {
  /// The file's path.
  package var file: String
  /// The recipes, or the error in the file.
  package var outcome: Result<[Recipe], RecipeFileError>

  /// - Parameters: see the properties.
  package init(file: String, outcome: Result<[Recipe], RecipeFileError>) {
    self.file = file
    self.outcome = outcome
  }
}
