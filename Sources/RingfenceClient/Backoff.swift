// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The pause after failures. It doubles from two seconds to an hour and half of it is random, so that phones that lost
/// the server at the same time do not all return at the same time.
struct Backoff: Sendable {
  private(set) var failures = 0
  private static let first = 2.0
  private static let longest = 3_600.0
  /// The longest pause that a server may request, in seconds.
  private static let longestAsked = 86_400.0

  mutating func succeed() { failures = 0 }

  /// Counts a failure and returns the next pause.
  /// - Parameters:
  ///   - asked: the seconds of `Retry-After`.
  ///   - chance: a random value, 0 to 1.
  /// - Returns: seconds; at least the requested ones.
  mutating func fail(asked: Double?, chance: Double) -> Double {
    failures += 1
    let step = min(Self.longest, Self.first * pow(2, Double(min(failures - 1, 20))))
    let own = step * (0.5 + chance / 2)
    guard let asked, asked > 0 else { return own }
    let bounded = min(asked, Self.longestAsked)
    return max(own, bounded * (1 + chance / 10))
  }
}
