// SPDX-License-Identifier: Apache-2.0

/// The reason why a template is invalid.
public struct TemplateError: Error, CustomStringConvertible, Equatable {
  /// From 1; nil if the error concerns the complete template.
  public let line: Int?
  /// The error as text.
  public let problem: String

  /// Line and error.
  public var description: String { line.map { "line \($0): \(problem)" } ?? problem }
}
