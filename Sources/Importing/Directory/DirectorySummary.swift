// SPDX-License-Identifier: Apache-2.0

/// The result of an import of a directory.
public struct DirectorySummary: Sendable, Equatable {
  /// A number that had several names in the file.
  public struct Conflict: Sendable, Equatable {
    /// E.164 digits.
    public var number: Int64
    /// The chosen name.
    public var kept: String
    /// Another of its names.
    public var other: String
    /// Number of its names.
    public var names: Int
  }

  /// Rows read, including rejected ones; the header and blank lines do not count.
  public var rows = 0
  /// Numbers with an entry now.
  public var entries = 0
  /// Numbers of the source before.
  public var replaced = 0
  /// Rejected rows by reason.
  public var rejected: [RejectReason: Int] = [:]
  /// Invalid numbers, in rows that also have a valid one.
  public var badNumbers = 0
  /// Numbers with several names in the file; the name in most rows is chosen, of equally frequent ones the first.
  public var conflicts = 0
  /// Rows whose name was therefore not chosen.
  public var outvotedRows = 0
  /// Examples of those numbers.
  public var examples: [Conflict] = []
  /// Numbers that a source with precedence contains too, so that its name applies.
  public var overruled = 0
  /// Bytes of the file on disk that were read.
  public var bytesRead: UInt64 = 0
  /// Wall time of reading, in seconds.
  public var readingSeconds = 0.0
  /// Wall time of storing, in seconds.
  public var storingSeconds = 0.0

  /// An empty summary.
  public init() {}

  /// Rows rejected for any reason.
  public var rejectedRows: Int { rejected.values.reduce(0, +) }
}

/// The progress of an import of a directory.
public enum DirectoryProgress: Sendable, Equatable {
  /// Bytes of the file that were read, its size where it is known, and rows.
  case reading(bytes: UInt64, total: UInt64?, rows: Int)
  /// Rows that were stored, and their total.
  case storing(done: Int, total: Int)
}
