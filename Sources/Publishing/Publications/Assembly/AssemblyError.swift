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

  /// What it is, in plain English.
  public var description: String {
    switch self {
    case .notAscending(let feed, let number, let after):
      "The numbers of the \(feed) do not ascend: \(number) came after \(after). Nothing was published."
    case .textTooLong(let number): "The name of \(number) is longer than 65,535 bytes. Nothing was published."
    case .cutTooHigh: "A pack needs numbers that were not read. Publish again."
    case .sameName(let name):
      "Two packs would be named \(name). Give the recipes, or the regions, names that differ in more than case."
    }
  }
}
