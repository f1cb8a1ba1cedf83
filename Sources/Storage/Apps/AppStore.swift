// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Apps and their keys.
public struct AppStore: Sendable {
  let pool: PostgresPool
  private let nodes: ShardNodes

  /// Default time for which old keys stay valid after a rotation, in seconds: a week.
  public static let overlap: TimeInterval = 7 * 86_400

  public init(pool: PostgresPool) {
    self.pool = pool
    nodes = ShardNodes(pool: pool)
  }

  public var withdrawals: KeyWithdrawalStore { KeyWithdrawalStore(pool: pool) }

  /// Adds an app with its first key.
  /// - Parameter name: 1 to 80 characters.
  /// - Returns: the app and its key; the key cannot be read again, since only its hash is stored.
  /// - Throws: ``AppError/nameTaken(_:)``.
  public func create(
    name: String, scopes: AppScopes = .standard, expiresAt: Date? = nil, by person: String = "command line",
    at time: Date
  ) async throws -> (app: App, key: String) {
    let key = Secret.makeAPIKey()
    let app = try await pool.change(at: time) { connection in
      guard let app = try await connection.run(SQL.insertApp(name: name, createdAt: time)).first else {
        throw AppError.nameTaken(name)
      }
      try await connection.add(key, to: app, scopes: scopes, expiresAt: expiresAt, by: person, at: time)
      return .made(.app(.appCreate, app: name, by: person, after: Self.fields(scopes, expiresAt)), app)
    }
    return (app, key)
  }

  /// - Throws: ``AppError/noApp(_:)``.
  public func app(named name: String) async throws -> App {
    guard let app = try await pool.withConnection({ try await $0.app(named: name) }) else { throw AppError.noApp(name) }
    return app
  }

  /// The app under which an imported list is stored; added when it is new. It has no key.
  /// - Throws: ``AppError/notList(_:)``.
  public func source(named name: String, at time: Date) async throws -> App {
    guard let app = try await pool.run(SQL.ensureSource(name: name, createdAt: time)).first else {
      throw AppError.notList(name)
    }
    return app
  }

  /// The app of this key, with the key's scopes; nil when the key is unknown, revoked or expired.
  public func app(key: String, at time: Date = Date()) async throws -> App? {
    try await nodes.readAnywhere(SQL.findApp(keyHash: Secret.hash(key), time: time)).first
  }

  /// Gives an app a new key with the scopes of its newest one; the other keys stay valid for a while.
  /// - Parameter overlap: seconds for which the old keys stay valid; 0 ends them now.
  /// - Throws: ``AppError/noApp(_:)``.
  public func rotate(
    name: String, overlap: TimeInterval = AppStore.overlap, expiresAt: Date? = nil,
    by person: String = "command line", at time: Date
  ) async throws -> String {
    let key = Secret.makeAPIKey()
    try await pool.change(at: time) { connection in
      guard let app = try await connection.app(named: name) else { throw AppError.noApp(name) }
      let keys = try await connection.run(SQL.readKeys(appID: app.id))
      let model = keys.first { $0.state(at: time) == .valid } ?? keys.first
      let scopes = model?.scopes ?? .standard
      try await connection.add(key, to: app, scopes: scopes, expiresAt: expiresAt, by: person, at: time)
      _ = try await connection.run(
        SQL.endKeys(appID: app.id, time: time.addingTimeInterval(overlap), exceptHash: Secret.hash(key)))
      return .made(.app(.appRotate, app: name, by: person, after: Self.fields(scopes, expiresAt)))
    }
    return key
  }

  /// Revokes a key permanently, and deletes the tokens that it has created for installations. Servers may accept it for another 10 seconds, while they cache it.
  /// - Throws: ``AppError/noKey(_:)``.
  public func revoke(keyID: Int32, by person: String = "command line", at time: Date) async throws {
    try await pool.change(at: time) { connection in
      let key = try await connection.key(keyID)
      _ = try await connection.run(SQL.revokeKey(keyID: keyID, time: time))
      _ = try await connection.run(SQL.deleteInstallations(keyID: keyID))
      return .made(
        .app(
          .appRevoke, app: key.appName, key: keyID, by: person, before: ["state": key.state(at: time).rawValue]))
    }
  }

  /// - Parameter former: the scopes that a form showed; nil to replace any.
  /// - Throws: ``AppError/noKey(_:)``, ``AppError/notValid(_:)``, ``AppError/changed(_:)``.
  public func change(
    keyID: Int32, to scopes: AppScopes, insteadOf former: AppScopes? = nil, by person: String = "command line",
    at time: Date
  ) async throws {
    try await pool.change(at: time) { connection in
      let key = try await connection.key(keyID)
      guard key.state(at: time) == .valid else { throw AppError.notValid(keyID) }
      // The same form again.
      if former != nil, key.scopes == scopes { return .none }
      let changed = try await connection.runReportingCount(
        Statement<Void>(
          "UPDATE app_keys SET scopes = $2 WHERE key_id = $1 AND scopes = $3", keyID, scopes.rawValue,
          (former ?? key.scopes).rawValue))
      guard changed == 1 else { throw AppError.changed(keyID) }
      return .made(
        .app(
          .appScopes, app: key.appName, key: keyID, by: person, before: Self.fields(key.scopes, nil),
          after: Self.fields(scopes, nil)))
    }
  }

  /// Sets what telephone systems with the app's keys do with calls that failed verification. This takes effect within
  /// 10 seconds.
  /// - Throws: ``AppError/noApp(_:)``.
  public func set(
    failedCalls rule: FailedCalls, ofApp name: String, by person: String = "command line", at time: Date
  ) async throws {
    try await pool.change(at: time) { connection in
      guard let app = try await connection.app(named: name),
        let former = try await connection.run(
          """
          UPDATE apps a SET failed_calls = $2 FROM apps old
          WHERE a.app_id = $1 AND old.app_id = a.app_id RETURNING old.failed_calls
          """,
          app.id, rule.rawValue, decode: { FailedCalls(rawValue: try $0.decode(0)) ?? .nothing }
        ).first
      else { throw AppError.noApp(name) }
      return .made(
        .app(
          .appFailedCalls, app: name, by: person, before: ["failed_calls": former.rawValue],
          after: ["failed_calls": rule.rawValue]))
    }
  }

  /// All keys, or the keys of one app; the newest of an app first.
  /// - Throws: ``AppError/noApp(_:)``.
  public func keys(of name: String? = nil) async throws -> [AppKey] {
    try await pool.withConnection { connection in
      guard let name else { return try await connection.run(SQL.readKeys()) }
      guard let app = try await connection.app(named: name) else { throw AppError.noApp(name) }
      return try await connection.run(SQL.readKeys(appID: app.id))
    }
  }

  /// Where the newest reports come from, by app; apps without recent reports are left out. Networks are deleted after 30
  /// days, so no report is older.
  public func origins() async throws -> [Int32: AppOrigins] {
    Dictionary(
      uniqueKeysWithValues: try await pool.run(
        """
        SELECT n.app_id, count(DISTINCT n.reporter), count(DISTINCT n.network), count(DISTINCT a.reporter),
               count(*) FILTER (WHERE n.verification IN (1, 2, 11, 12)), count(*) FILTER (WHERE n.verification IN (2, 12))
        FROM (
          SELECT app_id, reporter, network, verification FROM reports
          WHERE network IS NOT NULL ORDER BY received_at DESC LIMIT \(AppOrigins.maxReports)
        ) n LEFT JOIN attested_reporters a ON a.reporter = n.reporter
        GROUP BY n.app_id
        """
      ) { row in
        AppOrigins(
          appID: try row.decode(0), reporters: Int(try row.decode(1, as: Int64.self)),
          networks: Int(try row.decode(2, as: Int64.self)), attested: Int(try row.decode(3, as: Int64.self)),
          verified: Int(try row.decode(4, as: Int64.self)), failed: Int(try row.decode(5, as: Int64.self)))
      }.map { ($0.appID, $0) })
  }

  /// - Throws: ``AppError/noKey(_:)``.
  public func key(_ id: Int32) async throws -> AppKey {
    try await pool.withConnection { try await $0.key(id) }
  }

  private static func fields(_ scopes: AppScopes, _ expiresAt: Date?) -> [String: String] {
    var fields = ["scopes": scopes.names.joined(separator: ",")]
    if let expiresAt { fields["expires_at"] = expiresAt.ISO8601Format() }
    return fields
  }

  /// Keeps the latest of several times for a key.
  public func note(uses: [(key: Int32, time: Date)]) async throws {
    guard !uses.isEmpty else { return }
    _ = try await pool.run(SQL.noteKeyUses(uses: uses.sorted { $0.key < $1.key }))
  }
}

extension PostgresConnection {
  func app(named name: String) async throws -> App? { try await run(SQL.findAppNamed(name: name)).first }

  func key(_ id: Int32) async throws -> AppKey {
    guard let key = try await run(SQL.readKeys(keyID: id)).first else { throw AppError.noKey(id) }
    return key
  }

  fileprivate func add(
    _ key: String, to app: App, scopes: AppScopes, expiresAt: Date?, by person: String, at time: Date
  ) async throws {
    _ = try await run(
      SQL.insertKey(
        appID: app.id, hash: Secret.hash(key), hint: String(key.prefix(8)) + "…", scopes: scopes, createdAt: time,
        createdBy: person, expiresAt: expiresAt))
  }
}

extension AuditEvent {
  static func app(
    _ action: AuditAction, app: String, key: Int32? = nil, by person: String, before: [String: String]? = nil,
    after: [String: String]? = nil, reason: String? = nil
  ) -> AuditEvent {
    Actor(name: person, role: .administrator).did(
      action, to: key.map { "\(app), key \($0)" } ?? app, before: before, after: after, because: reason)
  }
}
