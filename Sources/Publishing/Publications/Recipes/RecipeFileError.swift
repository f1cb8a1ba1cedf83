// SPDX-License-Identifier: Apache-2.0

/// The errors in a recipe file.
public struct RecipeFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One error.
  public struct Problem: Sendable, Equatable {
    /// From 1; 0 if the error has no line, such as a missing file.
    public var line: Int
    /// The error and the correct values, such as `top must be 1 to 1999999`.
    public var text: String
  }

  /// The file's name as given.
  public var file: String
  /// In the order of lines; at least one.
  public var problems: [Problem]

  /// One line for each problem: `recipes.yaml:12: top must be 1 to 1999999`.
  public var description: String {
    problems.map { $0.line > 0 ? "\(file):\($0.line): \($0.text)" : "\(file): \($0.text)" }.joined(separator: "\n")
  }
}
