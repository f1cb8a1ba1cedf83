public import Curation
public import Foundation
public import PostgreSQL

/// Moderators, their sign-in links and their sessions.
public struct ModeratorStore: Sendable {
  private let pool: PostgresPool

  /// How long a one-time link can wait to be used, in seconds: a day.
  public static let linkLifetime: TimeInterval = 86_400

  /// How long a session lasts, in seconds: twelve hours.
  public static let sessionLifetime: TimeInterval = 43_200

  /// - Parameter pool: where moderators are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Makes a link's token for a moderator, who is added when new. It works once, for a day.
  /// - Parameter role: what the moderator may do from now on; nil leaves it, and makes a new one `moderator`.
  public func makeSignInToken(for name: String, role: Role? = nil, at time: Date) async throws -> String {
    let id = try await pool.run(EnsureModerator(name: name, role: role, createdAt: time))[0]
    let token = Secret.make(prefix: "")
    _ = try await pool.run(
      CreateSignInLink(
        tokenHash: Secret.hash(token), moderatorID: id, expiresAt: time.addingTimeInterval(Self.linkLifetime)))
    return token
  }

  /// Uses up a link's token.
  /// - Returns: the token of a new session; nil when the link was used, has expired or never was.
  public func signIn(token: String, at time: Date) async throws -> String? {
    let session = Secret.make(prefix: "")
    let rows = try await pool.run(
      RedeemSignInLink(
        linkHash: Secret.hash(token), sessionID: UUID(), sessionHash: Secret.hash(session), time: time,
        sessionExpiresAt: time.addingTimeInterval(Self.sessionLifetime)))
    return rows.isEmpty ? nil : session
  }

  /// Whose session this token is; nil when it has ended.
  public func moderator(session token: String, at time: Date) async throws -> Moderator? {
    try await pool.run(FindSession(tokenHash: Secret.hash(token), time: time)).first
  }

  /// Ends a session.
  public func signOut(session token: String) async throws {
    _ = try await pool.run(DeleteSession(tokenHash: Secret.hash(token)))
  }
}
