// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The options of an import of a directory.
public struct DirectoryOptions: Sendable {
  /// The file, or `-` for standard input: CSV or TSV, plain or gzip.
  public var path: String
  /// The region of numbers without a plus, ISO 3166-1 alpha-2; nil to read international forms only.
  public var region: String?
  /// The columns of the fields.
  public var columns = DirectoryColumnNames()
  /// Whether the first line is a header; without one, columns are given by position.
  public var hasHeader = true
  /// The file for rejected lines; nil for none.
  public var rejectsPath: String?
  /// A folder for data that does not fit into memory: about 20 bytes and the name for each number.
  public var temporaryFolder: String
  /// Number of parsing tasks.
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

/// Columns of a directory, by the name in the header or by position from 1. Columns that are nil are found by the
/// header.
public struct DirectoryColumnNames: Sendable, Equatable {
  /// Columns of numbers, in order.
  public var numbers: [String] = []
  /// The name.
  public var name: String?
  /// The category of the business.
  public var category: String?
  /// Region of the row's numbers, ISO 3166-1 alpha-2; where it is empty the file's region applies.
  public var region: String?

  /// All columns by the header.
  public init() {}
}

/// The sizes of a directory's fields.
public enum DirectoryLimits {
  /// Bytes of a name; longer ones are cut between characters.
  public static let nameBytes = 400
  /// Bytes of a category; longer ones are cut between characters.
  public static let categoryBytes = 100
  /// The most numbers in one row; the others are counted as bad.
  public static let numbersOfARow = 50
  /// The most distinct names that are compared for one number; further ones are ignored.
  public static let namesOfANumber = 1_000
}
