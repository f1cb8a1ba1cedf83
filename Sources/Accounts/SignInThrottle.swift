// SPDX-License-Identifier: Apache-2.0

import Foundation
import Storage

/// The limits on successive attempts to sign in.
///
/// Passwords are counted for the account from one network, for the network, and for the account from browsers that have
/// never signed in to it. A browser that has is counted separately: failed sign-ins of others slow down only unknown
/// browsers, and nobody can lock the owner out of a known browser. Unknown names are counted like existing ones.
///
/// Codes are counted for the account from one network or from one known browser. Wrong codes of all unknown browsers
/// make nobody wait: beyond ``codeOfStrangers`` an unknown browser shows two successive codes of the app (RFC 4226, 7.4)
/// or a recovery code, which nobody can guess. Guessing one code within the limit succeeds with a probability of
/// 10 × 3 / 10⁶ = 1 : 33,000 per day, and two codes with 3 / 10¹² an attempt.
struct SignInThrottle: Sendable {
  /// The limits for a subject.
  struct Rule: Sendable {
    /// Number of failures without a wait.
    let free: Int32
    /// Seconds to wait after the next failure; doubled after each further one.
    let first: TimeInterval
    /// The longest wait, in seconds.
    let longest: TimeInterval
    /// Seconds after which failures expire.
    let memory: TimeInterval
    /// Whether a sign-in clears all failures; otherwise none, since failures of others are among them.
    var clearsOnSignIn = false
    /// Whether one code is too little after ``free`` failures.
    var asksTwoCodes = false
  }

  static let accountInNetwork = Rule(free: 5, first: 30, longest: 900, memory: 86_400, clearsOnSignIn: true)
  static let knownBrowser = Rule(free: 5, first: 30, longest: 900, memory: 86_400, clearsOnSignIn: true)
  static let network = Rule(free: 50, first: 30, longest: 900, memory: 3_600)
  static let strangersToAccount = Rule(free: 30, first: 15, longest: 300, memory: 3_600)
  /// The sender has already shown the password.
  static let code = Rule(free: 5, first: 30, longest: 900, memory: 86_400, clearsOnSignIn: true)
  static let codeOfStrangers = Rule(free: 10, first: 0, longest: 0, memory: 86_400, asksTwoCodes: true)

  let rules: [[UInt8]: Rule]

  init(_ subjects: [([UInt8], Rule)]) {
    rules = Dictionary(subjects) { first, _ in first }
  }

  var clearedOnSignIn: [[UInt8]] { rules.filter(\.value.clearsOnSignIn).map(\.key) }

  /// Seconds until an attempt is checked; nil for now, and then it counts as failed until that is undone.
  static func wait(_ counts: [AttemptCount], at time: Date) -> Int? {
    let until = counts.map(\.closedUntil).max() ?? time
    // The database rounds to microseconds, up or down.
    return until.timeIntervalSince(time) > 0.001 ? max(1, Int(until.timeIntervalSince(time).rounded(.up))) : nil
  }

  func asksTwoCodes(_ counts: [AttemptCount], at time: Date) -> Bool {
    counts.contains { count in
      rules[count.subject].map { rule in
        rule.asksTwoCodes && count.failures >= rule.free && time.timeIntervalSince(count.lastAt) <= rule.memory
      } ?? false
    }
  }

  func failed(_ counts: [AttemptCount], at time: Date) -> [AttemptCount] {
    counts.map { count in
      guard let rule = rules[count.subject] else { return count }
      var count = count
      if time.timeIntervalSince(count.lastAt) > rule.memory { count.failures = 0 }
      count.failures = min(count.failures + 1, 1_000_000)
      count.lastAt = time
      let beyond = count.failures - rule.free
      count.closedUntil = beyond > 0 ? time + min(rule.longest, rule.first * pow(2, Double(min(beyond - 1, 20)))) : time
      return count
    }
  }

  /// The counts without the failure that was counted in advance for an attempt.
  /// - Parameter former: the counts before it. Their time is restored unless another failure came since; otherwise
  ///   frequent sign-ins would keep old failures forever.
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
