import Foundation
import Storage

/// How fast attempts to sign in may follow each other.
///
/// Counted are the account from one network, the network, and the account from browsers that have never signed in to it.
/// A browser that has is counted by itself alone: a stranger's guesses slow down strangers, and nobody can lock somebody
/// else out of the browser they work with. A name that there is none of is counted like any other.
struct SignInThrottle: Sendable {
  /// What a subject may do.
  struct Rule: Sendable {
    /// Failures that cost nothing.
    let free: Int32
    /// Seconds to wait after the next one; twice as many after each one more.
    let first: TimeInterval
    /// Seconds to wait at most.
    let most: TimeInterval
    /// Seconds after which failures are forgotten.
    let memory: TimeInterval
  }

  static let accountInNetwork = Rule(free: 5, first: 30, most: 900, memory: 86_400)
  static let knownBrowser = Rule(free: 5, first: 30, most: 900, memory: 86_400)
  static let network = Rule(free: 50, first: 30, most: 900, memory: 3_600)
  static let strangersToAccount = Rule(free: 30, first: 15, most: 300, memory: 3_600)
  /// Whoever gets this far knows the password.
  static let code = Rule(free: 5, first: 30, most: 900, memory: 86_400)

  let rules: [[UInt8]: Rule]

  /// - Parameter subjects: each with its rule.
  init(_ subjects: [([UInt8], Rule)]) {
    rules = Dictionary(subjects) { first, _ in first }
  }

  /// Seconds until an attempt is looked at; nil for now, and then it counts as failed until it is taken back.
  static func wait(_ counts: [AttemptCount], at time: Date) -> Int? {
    let until = counts.map(\.closedUntil).max() ?? time
    // The database rounds to microseconds, up as well as down.
    return until.timeIntervalSince(time) > 0.001 ? max(1, Int(until.timeIntervalSince(time).rounded(.up))) : nil
  }

  /// The counts with one failure more.
  func failed(_ counts: [AttemptCount], at time: Date) -> [AttemptCount] {
    counts.map { count in
      guard let rule = rules[count.subject] else { return count }
      var count = count
      if time.timeIntervalSince(count.lastAt) > rule.memory { count.failures = 0 }
      count.failures = min(count.failures + 1, 1_000_000)
      count.lastAt = time
      let beyond = count.failures - rule.free
      count.closedUntil = beyond > 0 ? time + min(rule.most, rule.first * pow(2, Double(min(beyond - 1, 20)))) : time
      return count
    }
  }

  /// The counts without the failure that an attempt was taken for.
  func takenBack(_ counts: [AttemptCount], at time: Date) -> [AttemptCount] {
    counts.map { count in
      var count = count
      count.failures = max(0, count.failures - 1)
      count.closedUntil = min(count.closedUntil, time)
      return count
    }
  }
}
