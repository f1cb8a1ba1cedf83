import Curation

/// Why packs could not be assembled.
public enum AssemblyError: Error, Equatable, CustomStringConvertible {
  /// Numbers did not ascend.
  case notAscending(feed: String, number: Int64, after: Int64)
  /// A text is longer than a spool takes.
  case textTooLong(number: Int64)
  /// A pack is not full without the numbers that a cut left out.
  case cutTooHigh
  /// Two packs would have one name.
  case sameName(String)

  /// The code and its values, for logs; Localization makes sentences for people.
  public var description: String { PublicationFailure(self).json }
}
