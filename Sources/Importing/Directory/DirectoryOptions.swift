public import Foundation

/// How a file of names is imported.
public struct DirectoryOptions: Sendable {
  /// The file, or `-` for standard input: CSV or TSV, plain or gzip.
  public var path: String
  /// Where numbers without a plus are dialled, ISO 3166-1 alpha-2; nil to read international forms only.
  public var region: String?
  /// Which columns hold what.
  public var columns = DirectoryColumnNames()
  /// Whether the first line is a row like the others; columns are then given by their places.
  public var hasHeader = true
  /// Where rejected lines are written, nil for nowhere.
  public var rejectsPath: String?
  /// A folder for what does not fit into memory: about 20 bytes and the name for each number.
  public var temporaryFolder: String
  /// Tasks that parse at once.
  public var workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
  /// Bytes of rows that a task sorts in memory before it writes them to the temporary folder.
  public var runBytes = 12 << 20

  /// Makes options with the defaults above.
  public init(path: String, region: String? = nil, temporaryFolder: String = NSTemporaryDirectory()) {
    self.path = path
    self.region = region
    self.temporaryFolder = temporaryFolder
  }
}

/// Columns of a directory: by the name in the header, or by their place from 1. What is nil is found by the header.
public struct DirectoryColumnNames: Sendable, Equatable {
  /// Numbers; several, one after the other.
  public var numbers: [String] = []
  /// The name.
  public var name: String?
  /// The kind of business.
  public var category: String?
  /// ISO 3166-1 alpha-2 of where the row's numbers are dialled; where it is empty the file's region counts.
  public var region: String?

  /// Everything by the header.
  public init() {}
}

/// The sizes of a directory's fields.
public enum DirectoryLimits {
  /// Bytes of a name; longer ones are cut between characters.
  public static let nameBytes = 400
  /// Bytes of a category; longer ones are cut between characters.
  public static let categoryBytes = 100
  /// Numbers of one row; the rest are counted as bad.
  public static let numbersOfARow = 50
  /// Distinct names that are weighed for one number; further ones are left out.
  public static let namesOfANumber = 1_000
}
