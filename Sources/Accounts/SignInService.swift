// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Logging
public import Storage

/// The sender of a sign-in request.
public struct Visitor: Sendable {
  /// A keyed hash of the network.
  public let network: [UInt8]
  /// The browser's secret from an earlier sign-in; nil for none.
  public let known: String?
  /// The browser's present session; it ends when another is opened.
  public let session: String?
  /// The name of the browser.
  public let browser: String

  package init(network: [UInt8], known: String?, session: String?, browser: String) {
    (self.network, self.known, self.session, self.browser) = (network, known, session, browser)
  }
}

/// Result of an attempt to sign in.
public enum SignInOutcome: Sendable, Equatable {
  /// The factor was accepted; `browser` is the secret for the browser's cookie.
  case entered(FirstFactor, browser: String)
  /// The name or password, the code, or the link is wrong.
  case refused
  /// Nothing was checked; the seconds until an attempt is checked again.
  case later(Int)
  /// The step after the first factor has expired.
  case expired
}

/// Signs accounts in: checks their factors, and counts failures.
public struct SignInService: Sendable {
  let sessions: SessionStore
  let accounts: AccountStore
  let attempts: AttemptStore
  let hasher: PasswordHasher
  let key: AccountKey
  private let logger = Logger(label: "ringfence.accounts")

  /// - Parameters:
  ///   - attempts: the counts of failures.
  ///   - key: encrypts secrets.
  public init(
    sessions: SessionStore, accounts: AccountStore, attempts: AttemptStore, hasher: PasswordHasher, key: AccountKey
  ) {
    self.sessions = sessions
    self.accounts = accounts
    self.attempts = attempts
    self.hasher = hasher
    self.key = key
  }

  /// Signs in by a one-time link. It has 256 random bits, so guesses are not counted.
  public func signIn(link token: String, _ visitor: Visitor, at time: Date) async throws -> SignInOutcome {
    let entrance = try await sessions.enter(
      link: token, replacing: visitor.session, browser: visitor.browser, at: time)
    return entrance.map { .entered($0, browser: "") } ?? .refused
  }

  /// Signs in by name and password.
  public func signIn(name: String, password: String, _ visitor: Visitor, at time: Date) async throws -> SignInOutcome {
    let name = String(name.prefix(80))
    let throttle = SignInThrottle(try await subjects(name, visitor))
    let former = try await reserve(throttle, at: time)
    if let wait = SignInThrottle.wait(former, at: time) { return .later(wait) }
    let account = try await accounts.credentials(of: name)
    do {
      guard password.count <= PasswordRules.length.upperBound, try await hasher.verify(password, account?.password),
        let account
      else {
        // Also for an unknown name: otherwise the response time would reveal which names exist.
        try await sessions.noteFailure(of: account, because: "wrong password", at: time)
        return .refused
      }
      try await giveBack(throttle, former, at: time)
      try await attempts.forget(throttle.clearedOnSignIn, at: time)
      let entrance = try await sessions.enter(
        password: account, replacing: visitor.session, browser: visitor.browser, at: time)
      return .entered(entrance, browser: try await known(visitor, entrance, account, at: time))
    } catch is PasswordHasher.Busy {
      try await giveBack(throttle, former, at: time)
      return .later(2)
    }
  }

  /// Signs in by the second factor, after the first one.
  /// - Parameters:
  ///   - step: the token from the first factor.
  ///   - typed: a code of the app, or a recovery code.
  public func signIn(step: String, typed: String, _ visitor: Visitor, at time: Date) async throws -> SignInOutcome {
    guard let account = try await sessions.credentials(step: step, at: time) else { return .expired }
    let throttle = SignInThrottle([(key.subject("code", Array(account.name.utf8)), SignInThrottle.code)])
    let former = try await reserve(throttle, at: time)
    if let wait = SignInThrottle.wait(former, at: time) { return .later(wait) }
    guard let factor = factor(typed, of: account, at: time),
      let session = try await sessions.enter(
        step: step, of: account, by: factor, replacing: visitor.session, browser: visitor.browser, at: time)
    else {
      try await sessions.noteFailure(of: account, because: "wrong code", at: time)
      return .refused
    }
    try await attempts.forget(Array(throttle.rules.keys), at: time)
    let entrance = FirstFactor.session(session, isNew: false)
    return .entered(entrance, browser: try await known(visitor, entrance, account, at: time))
  }

  func factor(_ typed: String, of account: Credentials, at time: Date) -> SecondFactor? {
    let digits = typed.filter { $0 != " " && $0 != "-" }
    if digits.utf8.count == 6, digits.utf8.allSatisfy({ (48...57).contains($0) }) {
      guard let sealed = account.secret else { return nil }
      guard let secret = key.open(sealed, for: account.id) else {
        logger.error("The account key does not decrypt an account's second factor, so no code is accepted")
        return nil
      }
      return TOTP.step(of: digits, secret: secret, at: time, after: account.step).map { .code(step: $0) }
    }
    return RecoveryCodes.normalised(typed).map { .recovery(key.recovery($0)) }
  }

  private func subjects(_ name: String, _ visitor: Visitor) async throws -> [([UInt8], SignInThrottle.Rule)] {
    let account = Array(name.utf8)
    if let token = visitor.known, try await attempts.knows(browser: token, of: name) {
      return [(key.subject("browser", account, Array(token.utf8)), SignInThrottle.knownBrowser)]
    }
    return [
      (key.subject("account in network", account, visitor.network), SignInThrottle.accountInNetwork),
      (key.subject("network", visitor.network), SignInThrottle.network),
      (key.subject("account", account), SignInThrottle.strangersToAccount),
    ]
  }

  /// Counts a failure in advance, so that simultaneous guesses are limited like successive ones.
  /// - Returns: the counts before; nothing was counted where they require a ``SignInThrottle/wait(_:at:)``.
  func reserve(_ throttle: SignInThrottle, at time: Date) async throws -> [AttemptCount] {
    try await attempts.update(Array(throttle.rules.keys), at: time) { counts in
      SignInThrottle.wait(counts, at: time) == nil ? throttle.failed(counts, at: time) : nil
    }
  }

  func giveBack(_ throttle: SignInThrottle, _ former: [AttemptCount], at time: Date) async throws {
    try await attempts.update(Array(throttle.rules.keys), at: time) {
      throttle.takenBack($0, former: former, at: time)
    }
  }

  private func known(
    _ visitor: Visitor, _ entrance: FirstFactor, _ account: Credentials, at time: Date
  ) async throws -> String {
    guard case .session = entrance else { return "" }
    // A browser's secret may have been planted: only one that was issued for this account is kept.
    var token = AttemptStore.makeToken()
    if let known = visitor.known, try await attempts.knows(browser: known, of: account.name) { token = known }
    try await attempts.remember(browser: token, of: account.id, at: time)
    try await attempts.forget([], at: time)
    return token
  }
}

/// Confirmation of the owner before a change that makes an account less safe: an unattended or stolen session is not
/// enough.
extension SignInService {
  /// Result of a confirmation.
  public enum Confirmation: Sendable, Equatable {
    /// The password or code is right.
    case confirmed
    /// The password or code is wrong.
    case refused
    /// Nothing was checked; the seconds until an attempt is checked again.
    case later(Int)
  }

  /// Confirms by the password.
  public func confirm(_ moderator: Session, password: String, at time: Date) async throws -> Confirmation {
    try await confirm(moderator, "own password", at: time) { account in
      try await hasher.verify(String(password.prefix(PasswordRules.length.upperBound + 1)), account.password)
    }
  }

  /// Confirms by a code of the app, which works once, or by a recovery code, which is consumed.
  public func confirm(_ moderator: Session, code typed: String, at time: Date) async throws -> Confirmation {
    try await confirm(moderator, "code", at: time) { account in
      guard let factor = factor(typed, of: account, at: time) else { return false }
      return try await accounts.use(factor, of: moderator)
    }
  }

  private func confirm(
    _ moderator: Session, _ kind: String, at time: Date, _ isRight: (Credentials) async throws -> Bool
  ) async throws -> Confirmation {
    let throttle = SignInThrottle([(key.subject(kind, Array(moderator.name.utf8)), SignInThrottle.code)])
    let former = try await reserve(throttle, at: time)
    if let wait = SignInThrottle.wait(former, at: time) { return .later(wait) }
    do {
      guard let account = try await accounts.credentials(of: moderator.name), try await isRight(account) else {
        return .refused
      }
      try await attempts.forget(Array(throttle.rules.keys), at: time)
      return .confirmed
    } catch is PasswordHasher.Busy {
      try await giveBack(throttle, former, at: time)
      return .later(2)
    }
  }
}

/// The limits on successive attempts to sign in.
///
/// Counted are the account from one network, the network, and the account from browsers that have never signed in to
/// it. A browser that has is counted separately: failed sign-ins of others slow down only unknown browsers, and nobody
/// can lock the owner out of a known browser. Unknown names are counted like existing ones.
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
  }

  static let accountInNetwork = Rule(free: 5, first: 30, longest: 900, memory: 86_400, clearsOnSignIn: true)
  static let knownBrowser = Rule(free: 5, first: 30, longest: 900, memory: 86_400, clearsOnSignIn: true)
  static let network = Rule(free: 50, first: 30, longest: 900, memory: 3_600)
  static let strangersToAccount = Rule(free: 30, first: 15, longest: 300, memory: 3_600)
  /// The sender has already shown the password.
  static let code = Rule(free: 5, first: 30, longest: 900, memory: 86_400)

  let rules: [[UInt8]: Rule]

  /// - Parameter subjects: each with its rule.
  init(_ subjects: [([UInt8], Rule)]) {
    rules = Dictionary(subjects) { first, _ in first }
  }

  /// Subjects whose failures a sign-in clears.
  var clearedOnSignIn: [[UInt8]] { rules.filter(\.value.clearsOnSignIn).map(\.key) }

  /// Seconds until an attempt is checked; nil for now, and then it counts as failed until that is undone.
  static func wait(_ counts: [AttemptCount], at time: Date) -> Int? {
    let until = counts.map(\.closedUntil).max() ?? time
    // The database rounds to microseconds, up or down.
    return until.timeIntervalSince(time) > 0.001 ? max(1, Int(until.timeIntervalSince(time).rounded(.up))) : nil
  }

  /// The counts with one more failure.
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
