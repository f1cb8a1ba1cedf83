/// What became of a file of names.
public struct DirectorySummary: Sendable, Equatable {
  /// A number that had several names in the file.
  public struct Conflict: Sendable, Equatable {
    /// E.164 digits.
    public var number: Int64
    /// The name it has now.
    public var kept: String
    /// One that it has not.
    public var other: String
    /// How many names there were.
    public var names: Int
  }

  /// Rows read, rejected ones included; the header and blank lines are none.
  public var rows = 0
  /// Numbers that have a name now.
  public var entries = 0
  /// Numbers that the source named before.
  public var replaced = 0
  /// Rejected rows by reason.
  public var rejected: [RejectReason: Int] = [:]
  /// Numbers that could not be read, in rows with one that could too.
  public var badNumbers = 0
  /// Numbers to which the file gives several names; the name of most rows stays, of equals the first.
  public var conflicts = 0
  /// Rows whose name was not taken for that.
  public var outvotedRows = 0
  /// The first few of those numbers.
  public var examples: [Conflict] = []
  /// Numbers that a source with precedence names too, so that its name is the one that counts.
  public var overruled = 0
  /// Bytes read of the file as it lies on disk.
  public var bytesRead: UInt64 = 0
  /// Wall time in seconds: reading, and storing.
  public var readingSeconds = 0.0
  /// The second part.
  public var storingSeconds = 0.0

  /// A summary of nothing.
  public init() {}

  /// Rows rejected for any reason.
  public var rejectedRows: Int { rejected.values.reduce(0, +) }
}

/// How far an import of names is.
public enum DirectoryProgress: Sendable, Equatable {
  /// Bytes of the file that were read, its length where it is known, and rows.
  case reading(bytes: UInt64, total: UInt64?, rows: Int)
  /// Rows that were sorted into the database, of how many.
  case storing(done: Int, total: Int)
}
