// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Sign-in links, sign-in steps and sessions of moderators.
public struct SessionStore: Sendable {
  let pool: PostgresPool
  /// Longest lifetime of a session, in seconds.
  public let sessionLifetime: TimeInterval

  /// Lifetime of an unused sign-in link, in seconds: a day.
  public static let linkLifetime: TimeInterval = 86_400

  /// Longest lifetime of a session unless it is set, in seconds: twelve hours.
  public static let standardLifetime: TimeInterval = 43_200

  /// Lifetime of an unused session, in seconds: two hours.
  public static let idleLifetime: TimeInterval = 7_200

  /// Time allowed for the second factor after the first one, in seconds: ten minutes.
  public static let stepLifetime: TimeInterval = 600

  /// - Parameter sessionLifetime: longest lifetime of a session, in seconds.
  public init(pool: PostgresPool, sessionLifetime: TimeInterval = standardLifetime) {
    self.pool = pool
    self.sessionLifetime = sessionLifetime
  }

  /// The same store with another longest lifetime of sessions, in seconds.
  public func with(sessionLifetime: TimeInterval) -> SessionStore {
    SessionStore(pool: pool, sessionLifetime: sessionLifetime)
  }

  /// Creates the token of a sign-in link for a moderator; a new name is added as an account. The link works once,
  /// within a day.
  /// - Parameters:
  ///   - role: the account's role from now on; nil keeps it, and gives `moderator` to a new account.
  ///   - actor: creator of the link, for the audit log.
  public func makeSignInToken(
    for name: String, role: Role? = nil, by actor: Actor = .commandLine("command line"), at time: Date
  ) async throws -> String {
    let token = Secret.make(prefix: "")
    try await pool.change(at: time) { connection in
      let account = try await connection.run(SQL.ensureAccount(name: name, role: role, createdAt: time))[0]
      var events: [AuditEvent] = []
      if account.former == nil {
        _ = try AccountName.check(name, "name")
        events.append(actor.did(.accountAdd, to: name, after: ["role": (role ?? .moderator).rawValue]))
      } else if let former = account.former, former != account.role {
        events.append(actor.did(.accountRole, to: name, before: ["role": former], after: ["role": account.role]))
      }
      _ = try await connection.run(
        SQL.createSignInLink(
          tokenHash: Secret.hash(token), accountID: account.id, expiresAt: time + Self.linkLifetime))
      return .made(events + [actor.did(.accountLink, to: name)], ())
    }
    return token
  }

  /// Consumes a sign-in link's token.
  /// - Parameters:
  ///   - former: the browser's earlier session; it ends.
  ///   - browser: name of the browser, at most 80 characters.
  /// - Returns: nil when the link was used, has expired or is unknown, or the account is disabled.
  public func enter(
    link token: String, replacing former: String? = nil, browser: String = "", at time: Date
  ) async throws -> FirstFactor? {
    try await enter(link: token, opening(browser, former, at: time))
  }

  /// As above. Safe to call again with the same opening, because a transaction is repeated when its commit was in
  /// doubt.
  func enter(link token: String, _ opening: SessionOpening) async throws -> FirstFactor? {
    try await pool.change(at: opening.time) { connection in
      if let opened = try await connection.entrance(of: opening) { return .none(opened) }
      let redeemed = try await connection.run(
        """
        DELETE FROM sign_in_links l USING accounts a
        WHERE l.token_hash = $1 AND l.expires_at > $2 AND a.account_id = l.account_id AND a.disabled_at IS NULL
        RETURNING \(SQL.credentials)
        """,
        Secret.hash(token), opening.time
      ) { try $0.credentials() }
      .first
      guard let account = redeemed else { return .none(nil) }
      var events: [AuditEvent] = []
      let opened = try await connection.enter(account, way: "link", opening, &events)
      return .made(events, opened)
    }
  }

  /// Signs an account in whose password was verified.
  public func enter(
    password account: Credentials, replacing former: String? = nil, browser: String = "", at time: Date
  ) async throws -> FirstFactor {
    let opening = opening(browser, former, at: time)
    return try await pool.change(at: time) { connection in
      if let opened = try await connection.entrance(of: opening) { return .none(opened) }
      var events: [AuditEvent] = []
      let opened = try await connection.enter(account, way: "password", opening, &events)
      return .made(events, opened)
    }
  }

  /// Nil when the step has expired.
  public func credentials(step token: String, at time: Date) async throws -> Credentials? {
    try await pool.run(SQL.findSignInStep(tokenHash: Secret.hash(token), time: time)).first
  }

  /// Signs an account in that showed both factors, and consumes the second one.
  /// - Returns: the session's token; nil when the factor was used before, or the step has expired.
  public func enter(
    step token: String, of account: Credentials, by factor: SecondFactor, replacing former: String? = nil,
    browser: String = "", at time: Date
  ) async throws -> String? {
    let opening = opening(browser, former, at: time)
    return try await pool.change(at: time) { connection in
      if case .session(let token, _) = try await connection.entrance(of: opening) { return .none(token) }
      let step = SQL.endSignInStep(tokenHash: Secret.hash(token), accountID: account.id, time: time)
      let isNew =
        switch factor {
        case .code(let step): try await !connection.run(SQL.takeCode(accountID: account.id, step: step)).isEmpty
        case .recovery(let hash):
          try await !connection.run(SQL.takeRecoveryCode(accountID: account.id, codeHash: hash)).isEmpty
        case .passkey(let id, let counter):
          try await !connection.run(
            SQL.usePasskey(accountID: account.id, credentialID: id, counter: counter, time: time)
          ).isEmpty
        }
      guard isNew, let way = try await connection.run(step).first else { return .none(nil) }
      let second =
        switch factor {
        case .code: "code"
        case .recovery: "recovery code"
        case .passkey: "passkey"
        }
      var events: [AuditEvent] = []
      let token = try await connection.open(account, way: "\(way), \(second)", opening, &events).token
      return .made(events, token)
    }
  }

  func opening(_ browser: String, _ former: String?, at time: Date) -> SessionOpening {
    SessionOpening(browser: browser, former: former, lifetime: sessionLifetime, time: time)
  }

  /// - Parameter digest: 32 bytes.
  /// - Returns: whether it was not used before.
  public func use(challenge digest: [UInt8], until expiresAt: Date, at time: Date) async throws -> Bool {
    try await !pool.run(
      """
      WITH gone AS (DELETE FROM used_challenges WHERE expires_at < $3)
      INSERT INTO used_challenges (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING RETURNING digest
      """,
      digest, expiresAt, time
    ) { try $0.decode(0, as: [UInt8].self) }.isEmpty
  }

  /// Nil when the session has ended.
  public func moderator(session token: String, at time: Date) async throws -> Session? {
    let hash = Secret.hash(token)
    let found = try await pool.run(
      SQL.findSession(tokenHash: hash, time: time, seenAfter: time - Self.idleLifetime)
    ).first
    guard let found else { return nil }
    // Once a minute is precise enough for the idle lifetime.
    if found.seenAt < time - 60 { _ = try await pool.run(SQL.touchSession(tokenHash: hash, time: time)) }
    return found.moderator
  }

  public func signOut(session token: String, at time: Date) async throws {
    try await pool.change(at: time) { connection in
      let closed = try await connection.run(SQL.deleteSession(tokenHash: Secret.hash(token))).first
      return .made(closed.map { [$0.did(.sessionClose, to: $0.name)] } ?? [], ())
    }
  }

  /// Records a failed attempt in the audit log.
  /// - Parameters:
  ///   - account: nil for an unknown name. The name is then not recorded: it may be a password typed in the wrong field.
  ///   - values: further values of the attempt, by field.
  public func noteFailure(
    of account: Credentials?, because reason: String, _ values: [String: String]? = nil, at time: Date
  ) async throws {
    let name = account?.name ?? "unknown"
    let event = (account.map { Actor(name: name, role: $0.role) } ?? .program(name)).did(
      .sessionRefuse, to: name, after: values, because: reason)
    try await pool.change(at: time) { _ in .made(event) }
  }
}

/// Values generated once, so that a repeated transaction opens the same session.
struct SessionOpening {
  let token = Secret.make(prefix: "")
  let id = UUID()
  let browser: String
  let former: String?
  /// Longest lifetime of the session, in seconds.
  let lifetime: TimeInterval
  let time: Date

  init(browser: String, former: String?, lifetime: TimeInterval, time: Date) {
    (self.browser, self.former, self.lifetime, self.time) = (String(browser.prefix(80)), former, lifetime, time)
  }
}

extension PostgresConnection {
  /// The result of an earlier run of this opening, because a transaction is repeated when its commit was in doubt.
  func entrance(of opening: SessionOpening) async throws -> FirstFactor? {
    let hash = Secret.hash(opening.token)
    if try await !run(SQL.findSignInStep(tokenHash: hash, time: opening.time)).isEmpty {
      return .secondFactor(opening.token)
    }
    let session = try await run(SQL.findSession(tokenHash: hash, time: opening.time, seenAfter: opening.time - 1)).first
    return session.map { found in
      let (account, first) = (found.moderator, found.moderator.signIns == 1)
      return .session(opening.token, isNew: !account.isTied && (first || !account.hasPassword))
    }
  }

  /// Opens a session, or a step for the second factor if the account has one.
  func enter(
    _ account: Credentials, way: String, _ opening: SessionOpening, _ events: inout [AuditEvent]
  ) async throws -> FirstFactor {
    guard account.secret != nil || account.hasPasskeys else {
      let session = try await open(account, way: way, opening, &events)
      return .session(session.token, isNew: !account.isTied && (session.signIns == 1 || account.password == nil))
    }
    _ = try await run(
      SQL.addSignInStep(
        tokenHash: Secret.hash(opening.token), accountID: account.id, way: way,
        expiresAt: opening.time + SessionStore.stepLifetime))
    return .secondFactor(opening.token)
  }

  func open(
    _ account: Credentials, way: String, _ opening: SessionOpening, _ events: inout [AuditEvent]
  ) async throws -> (token: String, signIns: Int32) {
    if let former = opening.former { _ = try await run(SQL.deleteSession(tokenHash: Secret.hash(former))) }
    let signIns = try await run(
      SQL.openSession(
        accountID: account.id, tokenHash: Secret.hash(opening.token), sessionID: opening.id,
        browser: opening.browser, time: opening.time, expiresAt: opening.time + opening.lifetime))
    events.append(
      Actor(name: account.name, role: account.role).did(
        .sessionOpen, to: account.name, after: ["way": way, "browser": opening.browser]))
    return (opening.token, signIns.first ?? 1)
  }
}
