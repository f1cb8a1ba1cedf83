/// Why a template cannot be used.
public struct TemplateError: Error, CustomStringConvertible, Equatable {
  /// From 1; nil when it is about the template as a whole.
  public let line: Int?
  /// What is wrong, in words.
  public let problem: String

  /// Both in one line.
  public var description: String { line.map { "line \($0): \(problem)" } ?? problem }
}
