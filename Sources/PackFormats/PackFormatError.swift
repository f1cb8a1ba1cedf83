// SPDX-License-Identifier: Apache-2.0

/// Reasons why a list could not be written in another format.
public enum PackFormatError: Error, Equatable, Sendable, CustomStringConvertible {
  /// An entry violates a rule of lists or of the format.
  case entry(number: Int64, rule: String)
  /// The list has no entry that the format can represent.
  case empty(what: String)
  /// The value of an option is invalid.
  case option(String)
  /// A file could not be read or written; `code` is an `errno` value, or an error code of SQLite or zlib.
  case file(path: String, operation: String, code: Int32)

  /// A sentence for the person who runs the export.
  public var description: String {
    switch self {
    case .entry(let number, let rule): "entry \(number): \(rule)"
    case .empty(let what): "\(what) would be empty"
    case .option(let sentence): sentence
    case .file(let path, let operation, let code): "\(operation) \(path): error \(code)"
    }
  }
}
