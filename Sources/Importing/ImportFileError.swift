// SPDX-License-Identifier: Apache-2.0

/// The reason why a file could not be read completely.
public enum ImportFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The operating system refused; `reason` is its message.
  case cannotRead(path: String, reason: String)
  /// Neither plain text nor gzip; `kind` is the detected format.
  case unsupportedCompression(path: String, kind: String)
  /// The gzip data ends early, after `line` complete lines.
  case truncated(path: String, line: Int)
  /// The gzip data is damaged after `line` complete lines; `reason` is zlib's message.
  case corrupt(path: String, line: Int, reason: String)
  /// The header line lacks a column that the format needs.
  case missingColumn(path: String, column: String)
  /// A line of a configuration file cannot be used.
  case badTable(path: String, line: Int, reason: String)
  /// The file of rejected lines could not be written; `reason` is the system's message.
  case cannotWrite(path: String, reason: String)

  /// The cause and the remedy, in a sentence or two.
  public var description: String {
    switch self {
    case .cannotRead(let path, let reason): "Cannot read \(path): \(reason). Check its name and permissions."
    case .unsupportedCompression(let path, let kind):
      "\(path) is \(kind). Only plain text and gzip are supported. Decompress it into a pipe and import “-”."
    case .truncated(let path, let line):
      "The gzip data of \(path) ends early, after line \(line). Download the file again."
    case .corrupt(let path, let line, let reason):
      "The gzip data of \(path) is damaged after line \(line): \(reason). Download the file again."
    case .missingColumn(let path, let column):
      "The header of \(path) has no column “\(column)”. Check the file and its format."
    case .badTable(let path, let line, let reason): "\(path), line \(line): \(reason)"
    case .cannotWrite(let path, let reason):
      "Cannot write \(path): \(reason). Check its folder, permissions and free space."
    }
  }
}
