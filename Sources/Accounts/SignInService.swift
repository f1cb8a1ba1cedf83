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
  public let browser: String

  package init(network: [UInt8], known: String?, session: String?, browser: String) {
    (self.network, self.known, self.session, self.browser) = (network, known, session, browser)
  }
}

public enum SignInOutcome: Sendable, Equatable {
  /// The factor was accepted; `browser` is the secret for the browser's cookie.
  case entered(FirstFactor, browser: String)
  /// The name or password, the code, or the link is wrong.
  case refused
  /// Nothing was checked; the seconds until an attempt is checked again.
  case later(Int)
  /// Nothing was checked: after many wrong codes, an unknown browser has to show two successive codes, or a recovery
  /// code.
  case needsTwoCodes
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

  public func signIn(name: String, password: String, _ visitor: Visitor, at time: Date) async throws -> SignInOutcome {
    let name = String(name.prefix(80))
    let browser = try await knownBrowser(visitor, of: name)
    do {
      // Everything is in turn: many strangers that wait for one account's counts would use all connections.
      return try await Stores.urgently(browser != nil) {
        try await hasher.inTurn(isKnown: browser != nil) {
          try await signIn(name, password, visitor, browser: browser, at: time)
        }
      }
    } catch is PasswordHasher.Busy {
      return .later(2)
    }
  }

  private func signIn(
    _ name: String, _ password: String, _ visitor: Visitor, browser: [UInt8]?, at time: Date
  ) async throws -> SignInOutcome {
    let throttle = SignInThrottle(subjects(name, visitor, browser))
    let former = try await reserve(throttle, at: time)
    if let wait = SignInThrottle.wait(former, at: time) { return .later(wait) }
    let account = try await accounts.credentials(of: name)
    guard password.count <= PasswordRules.length.upperBound,
      try await hasher.compare(password, account?.password), let account
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
  }

  /// Signs in by the second factor, after the first one.
  /// - Parameters:
  ///   - step: the token from the first factor.
  ///   - typed: a code of the app, two successive ones, or a recovery code.
  public func signIn(step: String, typed: String, _ visitor: Visitor, at time: Date) async throws -> SignInOutcome {
    guard let account = try await sessions.credentials(step: step, at: time) else { return .expired }
    let throttle = SignInThrottle(
      codeSubjects(account.name, visitor, try await knownBrowser(visitor, of: account.name)))
    let former = try await reserve(throttle, at: time)
    if let wait = SignInThrottle.wait(former, at: time) { return .later(wait) }
    if throttle.asksTwoCodes(former, at: time), TOTP.digits(of: typed)?.count == TOTP.length {
      try await giveBack(throttle, former, at: time)
      return .needsTwoCodes
    }
    guard let factor = factor(typed, of: account, at: time),
      let session = try await sessions.enter(
        step: step, of: account, by: factor, replacing: visitor.session, browser: visitor.browser, at: time)
    else {
      try await sessions.noteFailure(of: account, because: "wrong code", at: time)
      return .refused
    }
    try await giveBack(throttle, former, at: time)
    try await attempts.forget(throttle.clearedOnSignIn, at: time)
    let entrance = FirstFactor.session(session, isNew: false)
    return .entered(entrance, browser: try await known(visitor, entrance, account, at: time))
  }

  func factor(_ typed: String, of account: Credentials, at time: Date) -> SecondFactor? {
    if let digits = TOTP.digits(of: typed) {
      guard let sealed = account.secret else { return nil }
      guard let secret = key.open(sealed, for: account.id) else {
        logger.error("The account key does not decrypt an account's second factor, so no code is accepted")
        return nil
      }
      return TOTP.step(of: digits, secret: secret, at: time, after: account.step).map { .code(step: $0) }
    }
    return RecoveryCodes.normalised(typed).map { .recovery(key.recovery($0)) }
  }

  /// The secret of a browser that has signed in to an account before; nil for another browser.
  private func knownBrowser(_ visitor: Visitor, of name: String) async throws -> [UInt8]? {
    guard let token = visitor.known, try await attempts.knows(browser: token, of: name) else { return nil }
    return Array(token.utf8)
  }

  private func subjects(
    _ name: String, _ visitor: Visitor, _ browser: [UInt8]?
  ) -> [([UInt8], SignInThrottle.Rule)] {
    let account = Array(name.utf8)
    if let browser { return [(key.subject("browser", account, browser), SignInThrottle.knownBrowser)] }
    return [
      (key.subject("account in network", account, visitor.network), SignInThrottle.accountInNetwork),
      (key.subject("network", visitor.network), SignInThrottle.network),
      (key.subject("account", account), SignInThrottle.strangersToAccount),
    ]
  }

  private func codeSubjects(
    _ name: String, _ visitor: Visitor, _ browser: [UInt8]?
  ) -> [([UInt8], SignInThrottle.Rule)] {
    let account = Array(name.utf8)
    if let browser { return [(key.subject("code in browser", account, browser), SignInThrottle.code)] }
    return [
      (key.subject("code in network", account, visitor.network), SignInThrottle.code),
      (key.subject("code of strangers", account), SignInThrottle.codeOfStrangers),
    ]
  }

  /// Counts a failure in advance, so that simultaneous guesses are limited like successive ones.
  /// - Returns: the counts before; nothing was counted where they require a ``SignInThrottle/wait(_:at:)``.
  func reserve(_ throttle: SignInThrottle, at time: Date) async throws -> [AttemptCount] {
    try await attempts.update(Array(throttle.rules.keys), at: time) { counts in
      SignInThrottle.wait(counts, at: time) == nil ? throttle.failed(counts, at: time) : nil
    }
  }

  /// Records a refused attempt in the audit log, up to a limit for each network: strangers can repeat attempts that name
  /// no account without end.
  func noteRefusal(
    of account: Credentials?, because reason: String, _ visitor: Visitor, _ values: [String: String]? = nil,
    at time: Date
  ) async throws {
    if account == nil {
      let throttle = SignInThrottle([(key.subject("refusals", visitor.network), SignInThrottle.network)])
      guard SignInThrottle.wait(try await reserve(throttle, at: time), at: time) == nil else { return }
    }
    try await sessions.noteFailure(of: account, because: reason, values, at: time)
  }

  func giveBack(_ throttle: SignInThrottle, _ former: [AttemptCount], at time: Date) async throws {
    try await attempts.update(Array(throttle.rules.keys), at: time) {
      throttle.takenBack($0, former: former, at: time)
    }
  }

  /// Stores the browser as one of the account.
  /// - Returns: the secret for its cookie.
  func known(
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
  public enum Confirmation: Sendable, Equatable {
    case confirmed
    case refused
    /// Nothing was checked; the seconds until an attempt is checked again.
    case later(Int)
  }

  public func confirm(_ moderator: Session, password: String, at time: Date) async throws -> Confirmation {
    try await confirm(moderator, "own password", at: time) { account in
      try await hasher.verify(
        String(password.prefix(PasswordRules.length.upperBound + 1)), account.password, isKnown: true)
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
