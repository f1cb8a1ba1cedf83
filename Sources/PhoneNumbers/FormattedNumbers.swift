import Synchronization

/// Numbers that were written for people lately. The library matches regular expressions for each, which takes longer than
/// all the rest of a row of a page, and pages show the same numbers again and again.
final class FormattedNumbers: Sendable {
  static let shared = FormattedNumbers()

  /// At most so many of each of two generations: about a megabyte.
  static let most = 8_192

  private struct Generations {
    var young: [Int64: String] = [:]
    var old: [Int64: String] = [:]
  }

  private let known = Mutex(Generations())

  /// - Parameter make: writes one that is not known.
  func text(of digits: Int64, _ make: () -> String) -> String {
    let found = known.withLock { $0.young[digits] ?? $0.old[digits] }
    if let found { return found }
    let text = make()
    known.withLock { known in
      if known.young.count >= Self.most { (known.young, known.old) = ([:], known.young) }
      known.young[digits] = text
    }
    return text
  }

  /// How many are kept.
  var count: Int { known.withLock { $0.young.count + $0.old.count } }
}
