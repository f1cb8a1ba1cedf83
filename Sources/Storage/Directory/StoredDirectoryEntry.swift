/// What one source calls a number.
public struct StoredDirectoryEntry: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Rows of the source that give it this name, 1 or more.
  public var mentions: Int32
  /// 1 to 1,000 bytes.
  public var name: String
  /// 1 to 200 bytes; nil where the source has none.
  public var category: String?

  /// - Parameters: see the properties.
  public init(number: Int64, mentions: Int32 = 1, name: String, category: String? = nil) {
    self.number = number
    self.mentions = mentions
    self.name = name
    self.category = category
  }
}

/// A source of names.
public struct DirectorySource: Sendable, Equatable {
  /// Its key.
  public var id: Int32
  /// 1 to 80 characters.
  public var name: String
  /// Of two sources that name a number the one with the lower priority wins.
  public var priority: Int32
  /// The generation whose entries count; nil before the first import.
  public var generation: Int32?
  /// How many those are.
  public var entries: Int64
}

/// What replacing a source's entries did.
public struct DirectoryChange: Sendable, Equatable {
  /// Numbers the source names now.
  public var entries: Int
  /// Numbers it named before.
  public var replaced: Int
  /// Numbers of it that a source with precedence names too.
  public var overruled: Int

  /// - Parameters: see the properties.
  public init(entries: Int, replaced: Int, overruled: Int) {
    self.entries = entries
    self.replaced = replaced
    self.overruled = overruled
  }
}
