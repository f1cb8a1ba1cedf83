// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A cache of recently formatted numbers. libphonenumber matches regular expressions for each, which takes longer than
/// the rest of a row of a page, and pages show the same numbers repeatedly.
final class FormattedNumbers: Sendable {
  static let shared = FormattedNumbers()

  /// The most numbers in each of two generations: about 1 MB.
  static let most = 8_192

  private struct Generations {
    var young: [Int64: String] = [:]
    var old: [Int64: String] = [:]
  }

  private let known = Mutex(Generations())

  /// - Parameter make: formats a number that is not cached.
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

  /// Number of cached numbers.
  var count: Int { known.withLock { $0.young.count + $0.old.count } }
}
