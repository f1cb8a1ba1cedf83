/// What is wrong with a file of recipes.
public struct RecipeFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One fault.
  public struct Problem: Sendable, Equatable {
    /// From 1; 0 where the fault is in no line, as when the file is missing.
    public var line: Int
    /// What is wrong and what is right, such as `top must be 1 to 1999999`.
    public var text: String
  }

  /// The file, as it was named.
  public var file: String
  /// In the order of lines; at least one.
  public var problems: [Problem]

  /// A line a problem: `recipes.yaml:12: top must be 1 to 1999999`.
  public var description: String {
    problems.map { $0.line > 0 ? "\(file):\($0.line): \($0.text)" : "\(file): \($0.text)" }.joined(separator: "\n")
  }
}
