// SPDX-License-Identifier: Apache-2.0

/// A number's name in one source, as stored.
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
  /// Key of its row.
  public var id: Int32
  /// 1 to 80 characters.
  public var name: String
  /// Of two sources that contain a number the one with the lower priority wins.
  public var priority: Int32
  /// The current generation; nil before the first import.
  public var generation: Int32?
  /// Number of entries of the current generation.
  public var entries: Int64
}

/// Result of replacing a source's entries.
public struct DirectoryChange: Sendable, Equatable {
  /// Numbers that the source contains now.
  public var entries: Int
  /// Numbers that it contained before.
  public var replaced: Int
  /// Numbers of the source that a source with precedence contains too.
  public var overruled: Int

  /// - Parameters: see the properties.
  public init(entries: Int, replaced: Int, overruled: Int) {
    self.entries = entries
    self.replaced = replaced
    self.overruled = overruled
  }
}
