// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

/// The proof of an installation, to be stored with its next token.
public struct AttestedInstallation: Sendable {
  /// The keyed hash of its key, 16 bytes.
  public let device: [UInt8]
  /// Its pseudonym as a reporter, 16 bytes.
  public let reporter: [UInt8]
  /// The secret of its token, 32 bytes. It follows from the challenge, so that a repeated request gets the same token.
  public let secret: [UInt8]

  /// - Parameter pseudonym: of an app's name for a reporter.
  public init(device: [UInt8], secret: [UInt8], pseudonym: (String) -> [UInt8]) {
    (self.device, self.secret) = (device, secret)
    reporter = pseudonym(Installation.reporter(of: device))
  }
}

/// A new token of an installation.
public struct AttestedToken: Sendable {
  /// 43 characters.
  public let token: String
  /// The SHA-256 of the token.
  public let digest: [UInt8]
  public let expiresAt: Date
  public let level: AttestationLevel
}

/// The reason why no token was made.
public enum AttestationFailure: Error, Equatable, Sendable {
  /// The challenge was used by another installation.
  case challengeUsed
  /// The counter of the assertion is not greater than the stored one.
  case counterNotGreater
  case unknownInstallation
}

/// Installations of an app by what they have proved.
public struct AttestationCounts: Sendable, Equatable {
  public let appID: Int32
  /// Installations by level, with a token in the days of ``RetainedData/attestations``.
  public internal(set) var installations: [AttestationLevel: Int64]
}

extension InstallationStore {
  /// How long a token is valid, in seconds: 30 days.
  public static let tokenLifetime: TimeInterval = 30 * 86_400

  /// The builds of an app that may attest; nil for none.
  public func policy(of appID: Int32) async throws -> AttestationPolicy? {
    try await pool.run(SQL.readAttestationPolicy(appID: appID)).first ?? nil
  }

  /// Sets the builds of an app that may attest.
  /// - Parameter policy: nil for none.
  /// - Throws: ``AppError/noApp(_:)``.
  public func set(
    _ policy: AttestationPolicy?, ofApp name: String, by person: String = "command line", at time: Date
  ) async throws {
    try await pool.change(at: time) { connection in
      guard let app = try await connection.app(named: name) else { throw AppError.noApp(name) }
      let former = try await connection.run(SQL.readAttestationPolicy(appID: app.id)).first ?? nil
      _ = try await connection.run(SQL.setAttestationPolicy(appID: app.id, policy: policy))
      return .made(
        .app(
          .appAttestation, app: name, by: person, before: ["policy": AttestationSQL.text(former)],
          after: ["policy": AttestationSQL.text(policy)]))
    }
  }

  /// The counter of an earlier attestation with this key stays.
  /// - Throws: ``AttestationFailure/challengeUsed``.
  public func attest(
    _ installation: AttestedInstallation, level: AttestationLevel, for app: App, at time: Date
  ) async throws -> AttestedToken {
    try await pool.transaction { connection in
      let day = ComplaintDays.day(of: time)
      try await connection.run(
        """
        INSERT INTO attested_reporters AS a (reporter, app_id, level, counter, attested_on, renewed_on)
        VALUES ($1, $2, $3, 0, $4, $4)
        ON CONFLICT (reporter) DO UPDATE SET level = excluded.level, renewed_on = excluded.renewed_on
        """,
        installation.reporter, app.id, level.rawValue, day)
      return try await connection.makeToken(of: installation, level: level, for: app, at: time)
    }
  }

  /// Makes a token for an installation that has attested before.
  /// - Parameter counter: of the assertion, which must be greater than the last one; nil where phones do not count.
  /// - Throws: ``AttestationFailure``.
  public func renew(
    _ installation: AttestedInstallation, counter: Int64?, for app: App, at time: Date
  ) async throws -> AttestedToken {
    try await pool.transaction { connection in
      let level = try await connection.run(
        SQL.renewAttestation(
          reporter: installation.reporter, appID: app.id, counter: counter, day: ComplaintDays.day(of: time))
      ).first
      if let level { return try await connection.makeToken(of: installation, level: level, for: app, at: time) }
      let known = try await connection.run(SQL.readAttestation(reporter: installation.reporter, appID: app.id)).first
      guard let known else { throw AttestationFailure.unknownInstallation }
      // The same request again, whose answer was lost.
      let digest = Secret.hash(Base64URL.encode(installation.secret))
      let former = try await connection.run(SQL.findInstallation(digest: digest)).first
      guard let former, former.device == installation.device, let end = former.expiresAt else {
        throw AttestationFailure.counterNotGreater
      }
      return AttestedToken(token: Base64URL.encode(installation.secret), digest: digest, expiresAt: end, level: known)
    }
  }

  public func attestationCounts() async throws -> [Int32: AttestationCounts] {
    try await pool.run("SELECT app_id, level, count(*) FROM attested_reporters GROUP BY app_id, level") {
      (
        appID: try $0.decode(0, as: Int32.self), level: try AttestationSQL.level($0.decode(1)),
        count: try $0.decode(2, as: Int64.self)
      )
    }.reduce(into: [:]) { counts, row in
      counts[row.appID, default: AttestationCounts(appID: row.appID, installations: [:])].installations[row.level] =
        row.count
    }
  }
}

extension PostgresConnection {
  fileprivate func makeToken(
    of installation: AttestedInstallation, level: AttestationLevel, for app: App, at time: Date
  ) async throws -> AttestedToken {
    let token = Base64URL.encode(installation.secret)
    let digest = Secret.hash(token)
    let end = try await run(
      SQL.insertAttestedInstallation(
        digest: digest, appID: app.id, keyID: app.keyID, createdAt: time, device: installation.device,
        expiresAt: time + InstallationStore.tokenLifetime)
    ).first
    guard let end else { throw AttestationFailure.challengeUsed }
    return AttestedToken(token: token, digest: digest, expiresAt: end, level: level)
  }
}

private enum AttestationSQL {
  static func text(_ policy: AttestationPolicy?) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts and numbers can always be encoded.
    return policy.flatMap { try? encoder.encode($0) }.map { String(decoding: $0, as: UTF8.self) } ?? "none"
  }

  static func level(_ value: Int16) throws -> AttestationLevel {
    guard let level = AttestationLevel(rawValue: value) else { throw StorageError.unknownRule("level \(value)") }
    return level
  }
}

extension SQL {
  static func readAttestationPolicy(appID: Int32) -> Statement<AttestationPolicy?> {
    Statement("SELECT attestation FROM apps WHERE app_id = $1", appID) { row in
      let text: String? = try row.decode(0)
      return try text.map { try JSONDecoder().decode(AttestationPolicy.self, from: Data($0.utf8)) }
    }
  }

  static func setAttestationPolicy(appID: Int32, policy: AttestationPolicy?) -> Statement<Void> {
    Statement(
      "UPDATE apps SET attestation = $2 WHERE app_id = $1", appID, policy.map { AttestationSQL.text($0) })
  }

  /// Stores the counter of an assertion, if it is greater than the stored one. Without a row where it is not.
  /// - Parameter counter: Nil where phones do not count.
  static func renewAttestation(
    reporter: [UInt8], appID: Int32, counter: Int64?, day: Int32
  ) -> Statement<AttestationLevel> {
    Statement(
      """
      UPDATE attested_reporters SET counter = coalesce($3::bigint, counter), renewed_on = $4
      WHERE reporter = $1 AND app_id = $2 AND ($3::bigint IS NULL OR counter < $3::bigint)
      RETURNING level
      """,
      reporter, appID, counter, day
    ) { try AttestationSQL.level($0.decode(0)) }
  }

  static func readAttestation(reporter: [UInt8], appID: Int32) -> Statement<AttestationLevel> {
    Statement(
      "SELECT level FROM attested_reporters WHERE reporter = $1 AND app_id = $2", reporter, appID
    ) { try AttestationSQL.level($0.decode(0)) }
  }

  /// Returns no row for a token of another installation, a revoked one, and a key that has ended.
  static func insertAttestedInstallation(
    digest: [UInt8], appID: Int32, keyID: Int32?, createdAt: Date, device: [UInt8], expiresAt: Date
  ) -> Statement<Date> {
    Statement(
      """
      INSERT INTO installations AS i (digest, app_id, key_id, created_at, last_day, device, expires_at)
      SELECT $1::bytea, $2::integer, key_id, $4::timestamptz, $5::integer, $6::bytea, $7::timestamptz FROM app_keys
      WHERE key_id = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)
      ON CONFLICT (digest) DO UPDATE SET key_id = excluded.key_id
      WHERE i.device = excluded.device AND i.revoked_at IS NULL
      RETURNING expires_at
      """,
      digest, appID, keyID, createdAt, ComplaintDays.day(of: createdAt), device, expiresAt)
  }

  /// Deletes some attestations without a token since a day, in days since 1970-01-01.
  static func purgeAttestations(renewedBefore: Int32, limit: Int) -> Statement<Void> {
    Statement(
      """
      DELETE FROM attested_reporters a
      USING (SELECT reporter FROM attested_reporters WHERE renewed_on < $1 ORDER BY renewed_on LIMIT $2::bigint) old
      WHERE a.reporter = old.reporter
      """,
      renewedBefore, Int64(limit))
  }
}
