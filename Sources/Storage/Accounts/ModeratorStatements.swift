import Curation
import Foundation
import PostgreSQL

/// Finds a moderator by name, or adds one.
struct EnsureModerator: PostgresStatement {
  let name: String
  let role: Role?
  let createdAt: Date

  static let sql = """
    INSERT INTO moderators (name, created_at, role) VALUES ($1, $2, coalesce($3::text, 'moderator'))
    ON CONFLICT (name) DO UPDATE SET role = coalesce($3::text, moderators.role)
    RETURNING moderator_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(createdAt)
    parameters.append(role?.rawValue)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Stores a one-time sign-in link.
struct CreateSignInLink: PostgresStatement {
  typealias Row = Void
  let tokenHash: [UInt8]
  let moderatorID: Int32
  let expiresAt: Date

  static let sql = "INSERT INTO sign_in_links (token_hash, moderator_id, expires_at) VALUES ($1, $2, $3)"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(tokenHash)
    parameters.append(moderatorID)
    parameters.append(expiresAt)
  }
}

/// Uses up a sign-in link and opens a session for its moderator, in one statement: a link opens one session.
struct RedeemSignInLink: PostgresStatement {
  let linkHash: [UInt8]
  let sessionID: UUID
  let sessionHash: [UInt8]
  let time: Date
  let sessionExpiresAt: Date

  static let sql = """
    WITH used AS (
      DELETE FROM sign_in_links WHERE token_hash = $1 RETURNING moderator_id, expires_at
    )
    INSERT INTO sessions (token_hash, moderator_id, expires_at, session_id, opened_at, seen_at)
    SELECT $2, moderator_id, $4::timestamptz, $5, $3::timestamptz, $3::timestamptz FROM used WHERE expires_at > $3::timestamptz
    RETURNING moderator_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(linkHash)
    parameters.append(sessionHash)
    parameters.append(time)
    parameters.append(sessionExpiresAt)
    parameters.append(sessionID)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Finds whose session a token is.
struct FindSession: PostgresStatement {
  let tokenHash: [UInt8]
  let time: Date

  static let sql = """
    SELECT m.moderator_id, m.name, m.role, m.language, s.session_id
    FROM sessions s JOIN moderators m USING (moderator_id)
    WHERE s.token_hash = $1 AND s.expires_at > $2 AND m.disabled_at IS NULL
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(tokenHash)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Moderator {
    Moderator(
      id: try row.decode(0), name: try row.decode(1), role: try row.role(2), language: try row.decode(3),
      sessionID: try row.decode(4))
  }
}

/// Ends a session.
struct DeleteSession: PostgresStatement {
  typealias Row = Void
  let tokenHash: [UInt8]

  static let sql = "DELETE FROM sessions WHERE token_hash = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(tokenHash)
  }
}

extension PostgresRow {
  /// A role by its name.
  func role(_ column: Int) throws -> Role {
    let name: String = try decode(column)
    guard let role = Role(rawValue: name) else { throw StorageError.unknownRole(name) }
    return role
  }
}
