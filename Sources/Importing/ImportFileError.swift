/// Why a file could not be read, or not to its end.
public enum ImportFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The system refused; `reason` is its message.
  case cannotRead(path: String, reason: String)
  /// Neither plain text nor gzip; `kind` names what it looks like.
  case unsupportedCompression(path: String, kind: String)
  /// The gzip data ends in the middle, after `line` whole lines.
  case truncated(path: String, line: Int)
  /// The gzip data is damaged after `line` whole lines; `reason` is zlib's message.
  case corrupt(path: String, line: Int, reason: String)
  /// The header line lacks a column that the format needs.
  case missingColumn(path: String, column: String)
  /// A line of a configuration file cannot be used.
  case badTable(path: String, line: Int, reason: String)
  /// The file of rejected lines could not be written; `reason` is the system's message.
  case cannotWrite(path: String, reason: String)

  /// What happened and what to do about it, in a sentence or two.
  public var description: String {
    switch self {
    case .cannotRead(let path, let reason): "cannot read \(path): \(reason)"
    case .unsupportedCompression(let path, let kind):
      "\(path) is \(kind); plain text and gzip are read: decompress it into a pipe and import “-”"
    case .truncated(let path, let line):
      "\(path) ends in the middle of its gzip data, after line \(line): fetch it again"
    case .corrupt(let path, let line, let reason):
      "\(path) is damaged after line \(line) (\(reason)): fetch it again"
    case .missingColumn(let path, let column): "\(path) has no column “\(column)” in its header line"
    case .badTable(let path, let line, let reason): "\(path), line \(line): \(reason)"
    case .cannotWrite(let path, let reason): "cannot write \(path): \(reason)"
    }
  }
}
