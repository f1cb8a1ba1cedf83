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
    /// Whether who gets in makes up for all failures; else for none, as those of others are among them.
    var isMadeUpFor = false
  }

  static let accountInNetwork = Rule(free: 5, first: 30, most: 900, memory: 86_400, isMadeUpFor: true)
  static let knownBrowser = Rule(free: 5, first: 30, most: 900, memory: 86_400, isMadeUpFor: true)
  static let network = Rule(free: 50, first: 30, most: 900, memory: 3_600)
  static let strangersToAccount = Rule(free: 30, first: 15, most: 300, memory: 3_600)
  /// Whoever gets this far knows the password.
  static let code = Rule(free: 5, first: 30, most: 900, memory: 86_400)

  let rules: [[UInt8]: Rule]

  /// - Parameter subjects: each with its rule.
  init(_ subjects: [([UInt8], Rule)]) {
    rules = Dictionary(subjects) { first, _ in first }
  }

  /// Subjects whose failures are forgotten when somebody gets in.
  var madeUpFor: [[UInt8]] { rules.filter(\.value.isMadeUpFor).map(\.key) }

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
  /// - Parameter former: the counts before it. Their time comes back, unless somebody else has failed since: whoever signs
  ///   in often would keep old failures for ever.
  func takenBack(_ counts: [AttemptCount], former: [AttemptCount], at time: Date) -> [AttemptCount] {
    let times = Dictionary(former.map { ($0.subject, $0.lastAt) }) { first, _ in first }
    return counts.map { count in
      var count = count
      // The database rounds to microseconds.
      if let former = times[count.subject], abs(count.lastAt.timeIntervalSince(time)) < 0.001 { count.lastAt = former }
      count.failures = max(0, count.failures - 1)
      count.closedUntil = min(count.closedUntil, time)
      return count
    }
  }
}
