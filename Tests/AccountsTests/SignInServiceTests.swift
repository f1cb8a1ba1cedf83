// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Accounts
@testable import Storage

@Suite(.database) struct SignInServiceTests {
  private let key = AccountKey([UInt8](repeating: 3, count: 32))
  private let password = "a long password"

  private var accounts: AccountStore { AccountStore(pool: pool) }
  private var sessions: SessionStore { SessionStore(pool: pool) }
  private var client: SignInService {
    client(PasswordHasher(slots: 2, queueLimit: 100, cost: .init(log2N: 4, r: 1, p: 1)))
  }

  private func client(_ hasher: PasswordHasher) -> SignInService {
    SignInService(
      sessions: sessions, accounts: accounts, attempts: AttemptStore(pool: pool), hasher: hasher, key: key)
  }

  private func visitor(_ network: UInt8 = 1, known: String? = nil, session: String? = nil) -> Visitor {
    Visitor(network: [network], known: known, session: session, browser: "Test")
  }

  /// Opens a session by a link.
  private func session(_ name: String, at time: Date? = nil) async throws -> String {
    let token = try await sessions.makeSignInToken(for: name, at: now)
    let outcome = try await client.signIn(link: token, visitor(), at: time ?? now)
    guard case .entered(.session(let session, _), _) = outcome else { throw Unexpected(outcome: outcome) }
    return session
  }

  private func moderator(_ session: String, at time: Date? = nil) async throws -> Session? {
    try await sessions.moderator(session: session, at: time ?? now)
  }

  private func withPassword(_ name: String) async throws -> Session {
    let moderator = try #require(try await moderator(try await session(name)))
    _ = try await accounts.setPassword(try await client.hasher.hash(password), of: moderator, at: now)
    return moderator
  }

  private func attempt(
    _ name: String, _ password: String, _ visitor: Visitor, after seconds: Double = 0
  ) async throws -> SignInOutcome {
    try await client.signIn(name: name, password: password, visitor, at: now + seconds)
  }

  @Test func `a sign-in link works once and never for a disabled account`() async throws {
    let token = try await sessions.makeSignInToken(for: "Ada", role: .triage, at: now)
    guard case .entered(.session(let session, true), _) = try await client.signIn(link: token, visitor(), at: now)
    else {
      Issue.record("the link does not work")
      return
    }
    #expect(try await moderator(session)?.role == .triage)
    #expect(try await client.signIn(link: token, visitor(), at: now) == .refused)
    let other = try await sessions.makeSignInToken(for: "Ada", at: now)
    try await accounts.setDisabled(true, name: "Ada", by: .commandLine("test"), at: now)
    #expect(try await moderator(session) == nil)
    #expect(try await client.signIn(link: other, visitor(), at: now) == .refused)
    try await accounts.setDisabled(false, name: "Ada", by: .commandLine("test"), at: now)
    #expect(try await client.signIn(link: other, visitor(), at: now) == .refused)
  }

  /// The time of a refusal does not reveal which names exist, since the work is the same.
  @Test func `an unknown name costs as much work as a wrong password`() async throws {
    _ = try await withPassword("Ada")
    let service = client
    func work(_ name: String, _ typed: String) async throws -> (derivations: Int, events: Int) {
      let derived = await service.hasher.derivations
      let noted = try await AuditLog(pool: pool).events(AuditFilter(), limit: 1_000).count
      #expect(try await service.signIn(name: name, password: typed, visitor(9), at: now) == .refused)
      return (
        await service.hasher.derivations - derived,
        try await AuditLog(pool: pool).events(AuditFilter(), limit: 1_000).count - noted
      )
    }
    for typed in ["a wrong password", String(repeating: "x", count: 10_000)] {
      let (known, unknown) = (try await work("Ada", typed), try await work("Zoltan", typed))
      #expect(known == unknown && known.events == 1, "\(known) \(unknown)")
    }
    #expect(try await work("Zoltan", "a wrong password").derivations == 1)
    let noted = try await AuditLog(pool: pool).events(AuditFilter(), limit: 1_000)
    #expect(!noted.map { "\($0)" }.joined().contains("Zoltan"))
  }

  @Test func `a session ends by idleness, by age and by another sign-in of its browser`() async throws {
    let session = try await session("Ada")
    #expect(try await moderator(session, at: now + SessionStore.idleLifetime + 1) == nil)
    // While in use, it lasts until its greatest age.
    var time = now
    while time < now + SessionStore.standardLifetime - 3_000 {
      time += 3_000
      #expect(try await moderator(session, at: time) != nil)
    }
    #expect(try await moderator(session, at: now + SessionStore.standardLifetime + 1) == nil)

    let token = try await sessions.makeSignInToken(for: "Bob", at: now)
    let former = try await self.session("Bob")
    let elsewhere = try await self.session("Bob")
    _ = try await client.signIn(link: token, visitor(session: former), at: now)
    #expect(try await moderator(former) == nil)
    #expect(try await moderator(elsewhere) != nil)
  }

  @Test func `a new password ends other sessions and rotates the current one`() async throws {
    let (one, other) = (try await session("Ada"), try await session("Ada"))
    let ada = try #require(try await moderator(one))
    let rotated = try await accounts.setPassword(try await client.hasher.hash(password), of: ada, at: now)
    for ended in [one, other] { #expect(try await moderator(ended) == nil) }
    #expect(try await moderator(rotated)?.sessionID == ada.sessionID)
    guard case .entered(.session(_, false), let browser) = try await attempt("Ada", password, visitor()) else {
      Issue.record("the password does not work")
      return
    }
    #expect(!browser.isEmpty)
    #expect(try await attempt("Ada", "another one", visitor()) == .refused)
    #expect(try await attempt("Nobody", password, visitor()) == .refused)
  }

  @Test func `failed sign-ins are throttled for unknown browsers but not for the owner`() async throws {
    _ = try await withPassword("Ada")
    guard case .entered(_, let browser) = try await attempt("Ada", password, visitor(9)) else {
      Issue.record("the password does not work")
      return
    }
    for (name, time) in [("Ada", 0.0), ("Nobody", 40)] {
      for _ in 0..<6 { #expect(try await attempt(name, "wrong", visitor(1), after: time) == .refused) }
      // The right password is not checked either.
      #expect(try await attempt(name, password, visitor(1), after: time + 1) == .later(29))
      #expect(try await attempt(name, "wrong", visitor(1), after: time + 31) == .refused)
      #expect(try await attempt(name, "wrong", visitor(1), after: time + 32) == .later(59))
    }
    // From many networks: unknown browsers are slowed down, the known one is not.
    for network in 10..<40 { _ = try await attempt("Ada", "wrong", visitor(UInt8(network)), after: 100) }
    guard case .later = try await attempt("Ada", password, visitor(77), after: 101) else {
      Issue.record("guesses from everywhere are not counted")
      return
    }
    guard case .entered = try await attempt("Ada", password, visitor(77, known: browser), after: 101) else {
      Issue.record("strangers have locked the owner out")
      return
    }
    // A browser of another account is unknown.
    guard case .later = try await attempt("Ada", password, visitor(77, known: "made up"), after: 101) else {
      Issue.record("any browser is taken for a known one")
      return
    }
    // An hour later the failures of the network and of unknown browsers have expired.
    guard case .entered = try await attempt("Ada", password, visitor(77), after: 4_000) else {
      Issue.record("failures are never forgotten")
      return
    }
  }

  @Test func `a sign-in clears its own failures and does not prolong those of its network`() async throws {
    _ = try await withPassword("Ada")
    for day in 0..<8 {
      let outcome = try await attempt("Ada", "wrong", visitor(), after: Double(day) * 80_000)
      #expect(outcome == .refused, "day \(day)")
      guard case .entered = try await attempt("Ada", password, visitor(), after: Double(day) * 80_000 + 5) else {
        Issue.record("failures of other days count on day \(day)")
        return
      }
    }
    // The network's failures are an hour old at the end, though Ada has signed in within that hour.
    let start = 1_000_000.0
    for guess in 0..<50 {
      #expect(try await attempt("stranger \(guess)", "wrong", visitor(8), after: start) == .refused)
    }
    guard case .entered = try await attempt("Ada", password, visitor(8), after: start + 3_000) else {
      Issue.record("fifty failures are free")
      return
    }
    #expect(try await attempt("stranger", "wrong", visitor(8), after: start + 3_700) == .refused)
    #expect(try await attempt("stranger", "wrong", visitor(8), after: start + 3_701) == .refused)
  }

  @Test func `a browser token that the server did not issue is replaced`() async throws {
    _ = try await withPassword("Ada")
    guard case .entered(_, let token) = try await attempt("Ada", password, visitor(known: "planted")),
      case .entered(_, let same) = try await attempt("Ada", password, visitor(known: token))
    else {
      Issue.record("the password does not work")
      return
    }
    #expect(token != "planted" && same == token)
    #expect(try await !AttemptStore(pool: pool).knows(browser: "planted", of: "Ada"))
  }

  @Test func `a new password and the end of all sessions invalidate earlier links`() async throws {
    let session = try await session("Ada")
    let ada = try #require(try await moderator(session))
    let link = try await sessions.makeSignInToken(for: "Ada", at: now)
    let own = try await accounts.setPassword(try await client.hasher.hash(password), of: ada, at: now)
    #expect(try await client.signIn(link: link, visitor(), at: now) == .refused)
    let current = try #require(try await moderator(own))
    let secret = try key.seal(TOTP.makeSecret(), for: ada.id)
    _ = try await accounts.setSecondFactor(secret, step: 0, recovery: [], of: current, at: now)
    guard case .entered(.secondFactor(let step), _) = try await attempt("Ada", password, visitor()) else {
      Issue.record("the password does not work")
      return
    }
    let other = try await sessions.makeSignInToken(for: "Ada", at: now)
    let account = try #require(try await accounts.account(ada.id, at: now))
    try await accounts.endSessions(of: account, by: .commandLine("test"), at: now)
    #expect(try await sessions.credentials(step: step, at: now) == nil)
    #expect(try await client.signIn(link: other, visitor(), at: now) == .refused)
  }

  @Test func `an account whose commit was in doubt is added once, and refused in another call`() async throws {
    try await failFirstCommit()
    try await accounts.add("Bob", role: .moderator, by: .commandLine("test"), at: now)
    #expect(
      try await AuditLog(pool: pool).events(AuditFilter(action: "account.add", subject: "Bob"), limit: 9).count == 1)
    await #expect(throws: AccountError.taken("Bob")) {
      try await accounts.add("Bob", role: .moderator, by: .commandLine("test"), at: now)
    }
  }

  @Test func `redeeming a link twice in one transaction opens one session`() async throws {
    let link = try await sessions.makeSignInToken(for: "Ada", at: now)
    let opening = sessions.opening("Test", nil, at: now)
    let first = try await sessions.enter(link: link, opening)
    #expect(first == .session(opening.token, isNew: true))
    // As after a commit in doubt.
    #expect(try await sessions.enter(link: link, opening) == first)
    #expect(try await client.signIn(link: link, visitor(), at: now) == .refused)
    #expect(try await accounts.account(named: "Ada", at: now)?.sessions == 1)
  }

  @Test func `the database keeps the key fingerprint while a secret is sealed with it`() async throws {
    let ada = try await withPassword("Ada")
    _ = try await accounts.setSecondFactor(
      try key.seal(TOTP.makeSecret(), for: ada.id), step: 0, recovery: [], of: ada, at: now)
    let other = AccountKey([UInt8](repeating: 4, count: 32)).fingerprint
    #expect(try await accounts.isKept(with: key.fingerprint))
    #expect(try await accounts.isKept(with: key.fingerprint))
    #expect(try await !accounts.isKept(with: other))
    try await accounts.reset("Ada", by: .commandLine("test"), at: now)
    #expect(try await accounts.isKept(with: other))
  }

  /// The database stores microseconds: a session must be valid at the very time at which it was opened.
  @Test func `an attempt at a fraction of a microsecond is recorded without an error`() async throws {
    _ = try await withPassword("Ada")
    for step in 0..<20 {
      let outcome = try await attempt("Ada", "wrong", visitor(UInt8(step + 1)), after: Double(step) + 0.123_456_7)
      #expect(outcome == .refused)
    }
  }

  @Test func `parallel guesses are counted like consecutive guesses`() async throws {
    _ = try await withPassword("Ada")
    let (client, time) = (client, now)
    let outcomes = try await withThrowingTaskGroup(of: SignInOutcome.self) { group in
      for guess in 0..<30 {
        group.addTask {
          try await client.signIn(
            name: "Ada", password: "guess \(guess)",
            Visitor(network: [1], known: nil, session: nil, browser: ""), at: time)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == .refused } == 6)
  }

  @Test func `sign-in asks for the second factor`() async throws {
    let ada = try await withPassword("Ada")
    let secret = TOTP.makeSecret()
    let codes = RecoveryCodes.make()
    _ = try await accounts.setSecondFactor(
      try key.seal(secret, for: ada.id), step: 0, recovery: RecoveryCodes.hashes(codes, key: key), of: ada, at: now)

    func first() async throws -> String {
      guard case .entered(.secondFactor(let step), "") = try await attempt("Ada", password, visitor()) else {
        throw Unexpected(outcome: .refused)
      }
      return step
    }
    func second(_ step: String, _ typed: String, after seconds: Double = 0) async throws -> SignInOutcome {
      try await client.signIn(step: step, typed: typed, visitor(), at: now + seconds)
    }
    func isIn(_ outcome: SignInOutcome) -> Bool {
      if case .entered(.session, let browser) = outcome { !browser.isEmpty } else { false }
    }

    let code = TOTP.code(secret: secret, step: TOTP.step(at: now))
    let step = try await first()
    // The step itself is not a session.
    #expect(try await moderator(step) == nil)
    #expect(try await second(step, "000000") == .refused || code == "000000")
    // As pasted from an app in Arabic, with a narrow space.
    let arabic = String(String.UnicodeScalarView(code.unicodeScalars.map { Unicode.Scalar($0.value + 0x630)! }))
    #expect(isIn(try await second(step, "\(arabic.prefix(3))\u{202F}\(arabic.suffix(3))\t")))
    #expect(try await second(step, code) == .expired)
    // A code works once, for all steps together.
    #expect(try await second(try await first(), code) == .refused)
    #expect(isIn(try await second(try await first(), codes[0].uppercased())))
    #expect(try await second(try await first(), codes[0]) == .refused)
    #expect(try await accounts.account(ada.id, at: now)?.recoveryCodes == 9)
    #expect(try await second(try await first(), codes[1], after: SessionStore.stepLifetime + 1) == .expired)
    // A link replaces the password only.
    let link = try await sessions.makeSignInToken(for: "Ada", at: now)
    guard case .entered(.secondFactor, _) = try await client.signIn(link: link, visitor(), at: now) else {
      Issue.record("a link goes past the second factor")
      return
    }
  }

  /// Strangers here have shown the password.
  @Test func `wrong codes of strangers neither lock the owner out nor find a code`() async throws {
    let ada = try await withPassword("Ada")
    let secret = TOTP.makeSecret()
    let codes = RecoveryCodes.make()
    _ = try await accounts.setSecondFactor(
      try key.seal(secret, for: ada.id), step: 0, recovery: RecoveryCodes.hashes(codes, key: key), of: ada, at: now)
    func second(_ typed: String, _ visitor: Visitor, after seconds: Double = 0) async throws -> SignInOutcome {
      let link = try await sessions.makeSignInToken(for: "Ada", at: now)
      guard case .entered(.secondFactor(let step), _) = try await client.signIn(link: link, visitor, at: now) else {
        throw Unexpected(outcome: .refused)
      }
      return try await client.signIn(step: step, typed: typed, visitor, at: now + seconds)
    }
    func code(_ offset: Int64) -> String { TOTP.code(secret: secret, step: TOTP.step(at: now) + offset) }
    func isIn(_ outcome: SignInOutcome) -> Bool { if case .entered(.session, _) = outcome { true } else { false } }

    // One network waits after five failures, and others do not.
    for _ in 0..<6 { #expect(try await second("wrong-codes", visitor(1)) == .refused) }
    #expect(try await second(codes[0], visitor(1)) == .later(30))
    for network in 2..<6 { #expect(try await second("wrong-codes", visitor(UInt8(network))) == .refused) }
    // After ten failures of unknown browsers one code is not checked, wherever it comes from, so none is guessed.
    for network in 6..<40 { #expect(try await second(code(0), visitor(UInt8(network))) == .needsTwoCodes) }
    #expect(try await second("000000 000000", visitor(40)) == .refused)
    // The owner enters with two codes from a new browser, with a recovery code, and with one code from a known browser.
    guard case .entered(.session, let browser) = try await second("\(code(-2)) \(code(-1))", visitor(50)) else {
      throw Unexpected(outcome: .refused)
    }
    #expect(isIn(try await second(codes[0], visitor(51))))
    #expect(isIn(try await second(code(0), visitor(52, known: browser))))
    // A sign-in does not give strangers more guesses. A day without failures does.
    #expect(try await second(code(1), visitor(53)) == .needsTwoCodes)
    let day = 86_401.0
    let link = try await sessions.makeSignInToken(for: "Ada", at: now + day)
    guard case .entered(.secondFactor(let step), _) = try await client.signIn(link: link, visitor(54), at: now + day)
    else { throw Unexpected(outcome: .refused) }
    #expect(try await client.signIn(step: step, typed: "000000", visitor(54), at: now + day) == .refused)
  }

  @Test(.timeLimit(.minutes(2))) func `a known browser does not wait behind the sign-ins of strangers`() async throws {
    _ = try await withPassword("Ada")
    guard case .entered(_, let browser) = try await attempt("Ada", password, visitor(9)) else {
      throw Unexpected(outcome: .refused)
    }
    let hasher = PasswordHasher(slots: 1, queueLimit: 1, cost: .init(log2N: 4, r: 1, p: 1))
    let service = client(hasher)
    let gate = DispatchSemaphore(value: 0)
    let (now, password) = (now, password)
    let (stranger, owner) = (visitor(1), visitor(2, known: browser))
    async let running: Void = hasher.work(isKnown: false) { gate.wait() }
    while await hasher.derivations == 0 { await Task.yield() }
    async let waiting = service.signIn(name: "Bob", password: "a guess", stranger, at: now)
    while await hasher.waiting == 0 { await Task.yield() }
    #expect(try await service.signIn(name: "Ada", password: password, visitor(3), at: now) == .later(2))
    async let entered = service.signIn(name: "Ada", password: password, owner, at: now)
    while await hasher.waiting == 1 { await Task.yield() }
    gate.signal()
    guard case .entered(_, let same) = try await entered else { throw Unexpected(outcome: .refused) }
    #expect(same == browser)
    #expect(try await waiting == .refused)
    try await running
  }

  @Test func `the last administrator cannot be demoted or disabled`() async throws {
    let actor = Actor.commandLine("test")
    for name in ["Ada", "Bob"] { try await accounts.add(name, role: .administrator, by: actor, at: now) }
    await #expect(throws: AccountError.taken("Ada")) {
      try await accounts.add("Ada", role: .triage, by: actor, at: now)
    }
    try await accounts.setRole(.triage, of: "Ada", by: actor, at: now)
    await #expect(throws: AccountError.lastAdministrator("Bob")) {
      try await accounts.setRole(.moderator, of: "Bob", by: actor, at: now)
    }
    await #expect(throws: AccountError.lastAdministrator("Bob")) {
      try await accounts.setDisabled(true, name: "Bob", by: actor, at: now)
    }
    await #expect(throws: AccountError.unknown("Eve")) { try await accounts.reset("Eve", by: actor, at: now) }
    try await accounts.setRole(.administrator, of: "Ada", by: actor, at: now)
    try await accounts.setDisabled(true, name: "Bob", by: actor, at: now)
    #expect(try await accounts.accounts(at: now).map(\.name) == ["Ada", "Bob"])
  }

  @Test func `an account reset invalidates its session, link and password`() async throws {
    let ada = try await withPassword("Ada")
    let link = try await sessions.makeSignInToken(for: "Ada", at: now)
    let session = try await session("Ada")
    try await accounts.reset("Ada", by: .commandLine("test"), at: now)
    #expect(try await moderator(session) == nil)
    #expect(try await client.signIn(link: link, visitor(), at: now) == .refused)
    #expect(try await attempt("Ada", password, visitor()) == .refused)
    #expect(try await accounts.account(ada.id, at: now)?.hasPassword == false)
    _ = try await self.session("Ada")
  }

  @Test func `account events appear in the audit log without passwords`() async throws {
    let ada = try await withPassword("Ada")
    _ = try await attempt("Ada", "wrong", visitor())
    try await accounts.setRole(.administrator, of: "Ada", by: .commandLine("Bob"), at: now + 1)
    let account = try #require(try await accounts.account(ada.id, at: now))
    try await accounts.endSessions(of: account, by: .commandLine("Bob"), at: now + 2)
    let records = try await AuditLog(pool: pool).events(AuditFilter(), limit: 100)
    #expect(records.first?.event.action == "session.end")
    let role = try #require(records.first { $0.event.action == "account.role" }?.event)
    #expect(role.before == ["role": "moderator"] && role.after == ["role": "administrator"])
    #expect(role.actor == "Bob" && role.role == "administrator" && role.subject == "Ada")
    #expect(
      Set(records.map(\.event.action)).isSuperset(of: [
        "account.add", "account.link", "session.open", "account.password", "session.refuse",
      ]))
    let said = records.map { "\($0)" }.joined()
    #expect(!said.contains(password) && !said.contains("scrypt"))
  }
}

private struct Unexpected: Error {
  let outcome: SignInOutcome
}
