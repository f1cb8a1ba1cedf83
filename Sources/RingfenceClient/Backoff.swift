import Foundation

/// How long to wait after so many failures: doubles from two seconds to an hour, and half of it is chance, so that
/// phones that lost the server together do not come back together.
struct Backoff: Sendable {
  private(set) var failures = 0
  private static let first = 2.0
  private static let longest = 3_600.0
  /// What a server may ask for at most, in seconds.
  private static let longestAsked = 86_400.0

  mutating func succeed() { failures = 0 }

  /// - Parameters:
  ///   - asked: seconds by `Retry-After`.
  ///   - chance: 0 to 1.
  /// - Returns: seconds; never less than was asked for.
  mutating func fail(asked: Double?, chance: Double) -> Double {
    failures += 1
    let step = min(Self.longest, Self.first * pow(2, Double(min(failures - 1, 20))))
    let own = step * (0.5 + chance / 2)
    guard let asked, asked > 0 else { return own }
    let bounded = min(asked, Self.longestAsked)
    return max(own, bounded * (1 + chance / 10))
  }
}
