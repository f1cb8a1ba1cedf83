// SPDX-License-Identifier: Apache-2.0

/// The error of a request that could not be served, or of a personal list that could not be read or changed.
public enum CallDirectoryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A file could not be opened, read or written; `code` is an `errno` value.
  case file(path: String, operation: String, code: Int32)
  /// A personal list's file breaks its format.
  case damaged(path: String, rule: String)
  /// A number or a label from the user breaks a rule.
  case entry(number: Int64, rule: String)
  /// No list could be read, and none was loaded before.
  case nothingToLoad(faults: [String])

  /// The error as text for a log.
  public var description: String {
    switch self {
    case .file(let path, let operation, let code): "\(operation) \(path): error \(code)"
    case .damaged(let path, let rule): "\(path): \(rule)"
    case .entry(let number, let rule): "entry \(number): \(rule)"
    case .nothingToLoad(let faults): "no list could be read: " + faults.joined(separator: "; ")
    }
  }
}
