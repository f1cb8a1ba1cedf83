public import Foundation
import Logging
public import Storage

/// Known facts about the sender of a sign-in.
public struct Visitor: Sendable {
  /// A keyed hash of the network.
  public let network: [UInt8]
  /// The cookie of an earlier sign-in of this browser; nil without one.
  public let known: String?
  /// The session that the browser has; it ends when another is opened.
  public let session: String?
  /// The name of the browser.
  public let browser: String

  /// - Parameters: see the properties.
  public init(network: [UInt8], known: String?, session: String?, browser: String) {
    (self.network, self.known, self.session, self.browser) = (network, known, session, browser)
  }
}

/// The outcome of an attempt to sign in.
public enum SignInOutcome: Sendable, Equatable {
  /// It goes on; `browser` is for the browser to keep.
  case entered(FirstFactor, browser: String)
  /// Wrong: name or password, code, or link.
  case refused
  /// Nothing was looked at; seconds until it will be.
  case later(Int)
  /// It took too long since the first factor.
  case expired
}

/// Where people sign in: looks at what they show, and counts what was wrong.
public struct SignInService: Sendable {
  let moderators: SessionStore
  let accounts: AccountStore
  let attempts: AttemptStore
  let hasher: PasswordHasher
  let key: AccountKey
  private let logger = Logger(label: "ringfence.accounts")

  /// - Parameters:
  ///   - moderators: opens sessions.
  ///   - accounts: what people are recognised by.
  ///   - attempts: counts.
  ///   - hasher: compares passwords.
  ///   - key: what secrets are kept with.
  public init(
    moderators: SessionStore, accounts: AccountStore, attempts: AttemptStore, hasher: PasswordHasher, key: AccountKey
  ) {
    self.moderators = moderators
    self.accounts = accounts
    self.attempts = attempts
    self.hasher = hasher
    self.key = key
  }

  /// By a one-time link. It has 256 random bits: guesses need not be counted here.
  public func signIn(link token: String, _ visitor: Visitor, at time: Date) async throws -> SignInOutcome {
    let entrance = try await moderators.enter(
      link: token, replacing: visitor.session, browser: visitor.browser, at: time)
    return entrance.map { .entered($0, browser: "") } ?? .refused
  }

  /// By name and password.
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
        // Also of a name without an account: otherwise the time of the answer says which names exist.
        try await moderators.noteFailure(of: account, because: "wrong password", at: time)
        return .refused
      }
      try await giveBack(throttle, former, at: time)
      try await attempts.forget(throttle.madeUpFor, at: time)
      let entrance = try await moderators.enter(
        password: account, replacing: visitor.session, browser: visitor.browser, at: time)
      return .entered(entrance, browser: try await known(visitor, entrance, account, at: time))
    } catch is PasswordHasher.Busy {
      try await giveBack(throttle, former, at: time)
      return .later(2)
    }
  }

  /// By the second factor, after the first one.
  /// - Parameters:
  ///   - step: the token that the first one gave.
  ///   - typed: a code of the app, or a recovery code.
  public func signIn(step: String, typed: String, _ visitor: Visitor, at time: Date) async throws -> SignInOutcome {
    guard let account = try await moderators.credentials(step: step, at: time) else { return .expired }
    let throttle = SignInThrottle([(key.subject("code", Array(account.name.utf8)), SignInThrottle.code)])
    let former = try await reserve(throttle, at: time)
    if let wait = SignInThrottle.wait(former, at: time) { return .later(wait) }
    guard let factor = factor(typed, of: account, at: time),
      let session = try await moderators.enter(
        step: step, of: account, by: factor, replacing: visitor.session, browser: visitor.browser, at: time)
    else {
      try await moderators.noteFailure(of: account, because: "wrong code", at: time)
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

  /// Counts a failure beforehand, so that guesses that come at once are as many as guesses one after another.
  /// - Returns: the counts as they were; nothing was counted where there is a ``SignInThrottle/wait(_:at:)``.
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
    // A cookie can be planted in a browser: only one that was issued for this account is kept.
    var token = AttemptStore.makeToken()
    if let known = visitor.known, try await attempts.knows(browser: known, of: account.name) { token = known }
    try await attempts.remember(browser: token, of: account.id, at: time)
    try await attempts.forget([], at: time)
    return token
  }
}
