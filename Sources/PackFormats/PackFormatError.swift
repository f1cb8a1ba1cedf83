/// Why a list could not be written in another format.
public enum PackFormatError: Error, Equatable, Sendable, CustomStringConvertible {
  /// An entry breaks a rule of lists or of the format.
  case entry(number: Int64, rule: String)
  /// The list holds nothing that the format could carry.
  case empty(what: String)
  /// An option's value is impossible.
  case option(String)
  /// A file could not be read or written; `code` is an `errno` value, or SQLite's or zlib's own.
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
