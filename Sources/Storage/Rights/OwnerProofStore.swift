// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// A pass of an owner, which opens the pages of one number.
public struct OwnerPass: Sendable, Equatable {
  /// SHA-256 of the pass.
  public let hash: [UInt8]
  /// E.164 digits.
  public let number: Int64
  /// When the code was entered.
  public let openedAt: Date
}

/// Codes that prove control of a number, and the passes that they open.
public struct OwnerProofStore: Sendable {
  /// How long a code and a pass are valid, in seconds: 15 minutes and an hour.
  public static let (codeLifetime, passLifetime) = (900.0, 3_600.0)
  /// The most codes of a number and UTC day.
  public static let maxCodes = 3

  private let pool: PostgresPool

  public init(pool: PostgresPool) { self.pool = pool }

  /// Stores a code, unless the number has had ``maxCodes`` today, and queues its message.
  /// - Parameters:
  ///   - hash: keyed, 32 bytes.
  ///   - event: the message with the code.
  ///   - gateways: the addresses that get the message.
  ///   - actor: the person who delivers the code; nil for a gateway.
  /// - Returns: whether it was stored.
  public func add(
    _ hash: [UInt8], for number: Int64, at time: Date, event: Event? = nil, to gateways: [String] = [],
    by actor: Actor? = nil
  ) async throws -> Bool {
    try await pool.change(at: time) { connection in
      let code = SQL.addOwnerCode(
        number: number, day: ComplaintDays.day(of: time), hash: hash, expiresAt: time + Self.codeLifetime,
        isSent: event != nil && !gateways.isEmpty)
      guard try await !connection.run(code).isEmpty else { return .none(false) }
      if let event {
        for gateway in gateways { _ = try await connection.run(SQL.queueMessage(event, to: gateway, at: time)) }
      }
      return .made(actor.map { [$0.did(.rightCode, to: number)] } ?? [], true)
    }
  }

  /// The number of codes of a UTC day that went to a gateway.
  public func sentCodes(at time: Date) async throws -> Int {
    try await pool.run(SQL.countSentCodes(day: ComplaintDays.day(of: time))).first ?? 0
  }

  /// Tries a code, which counts as an attempt on each valid code of the number. A right one is used up and opens a pass.
  /// - Parameters:
  ///   - hash: of the entered code.
  ///   - pass: SHA-256 of the new pass.
  /// - Returns: whether the pass was opened.
  public func enter(
    _ hash: [UInt8], for number: Int64, pass: [UInt8], at time: Date
  ) async throws -> Bool {
    // Committed before the comparison, so that each attempt counts.
    let tried = try await pool.run(SQL.tryOwnerCodes(number: number, time: time))
    guard let found = tried.first(where: { ConstantTime.areEqual($0.hash, hash) }) else { return false }
    return try await pool.change(at: time, retry: .never) { connection in
      let use = SQL.useOwnerCode(
        number: number, day: found.day, place: found.place, time: time, pass: pass, expiresAt: time + Self.passLifetime)
      guard try await !connection.run(use).isEmpty else { return .none(false) }
      return .made(Actor.owner.did(.rightEnter, to: number), true)
    }
  }

  /// A pass; nil for an unknown or expired one.
  /// - Parameter hash: SHA-256 of the pass.
  public func pass(_ hash: [UInt8], at time: Date) async throws -> OwnerPass? {
    try await pool.run(SQL.readOwnerPass(hash: hash, time: time)).first
  }
}

extension SQL {
  /// Stores a code in the next free place of the day; no row where there is none.
  static func addOwnerCode(
    number: Int64, day: Int32, hash: [UInt8], expiresAt: Date, isSent: Bool
  ) -> Statement<Int16> {
    Statement(
      """
      INSERT INTO owner_codes (number, day, place, code_hash, expires_at, is_sent)
      SELECT $1::bigint, $2::integer, count(*) + 1, $3, $4, $5::boolean FROM owner_codes WHERE number = $1 AND day = $2
      HAVING count(*) < \(OwnerProofStore.maxCodes)
      ON CONFLICT (number, day, place) DO NOTHING RETURNING place
      """,
      number, day, hash, expiresAt, isSent)
  }

  static func countSentCodes(day: Int32) -> Statement<Int> {
    Statement("SELECT count(*) FROM owner_codes WHERE day = $1 AND is_sent", day) {
      Int(try $0.decode(0, as: Int64.self))
    }
  }

  /// Counts an attempt on the valid codes of a number, and returns their hashes.
  static func tryOwnerCodes(number: Int64, time: Date) -> Statement<(day: Int32, place: Int16, hash: [UInt8])> {
    Statement(
      """
      UPDATE owner_codes SET attempts = attempts + 1
      WHERE number = $1 AND expires_at > $2 AND used_at IS NULL AND attempts < 5
      RETURNING day, place, code_hash
      """,
      number, time
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }

  /// Uses a code and opens a pass; no row where the code was used.
  static func useOwnerCode(
    number: Int64, day: Int32, place: Int16, time: Date, pass: [UInt8], expiresAt: Date
  ) -> Statement<Int64> {
    Statement(
      """
      WITH used AS (
        UPDATE owner_codes SET used_at = $4 WHERE number = $1 AND day = $2 AND place = $3 AND used_at IS NULL
        RETURNING number
      )
      INSERT INTO owner_passes (pass_hash, number, expires_at) SELECT $5, number, $6 FROM used RETURNING number
      """,
      number, day, place, time, pass, expiresAt)
  }

  static func readOwnerPass(hash: [UInt8], time: Date) -> Statement<OwnerPass> {
    Statement("SELECT number, expires_at FROM owner_passes WHERE pass_hash = $1 AND expires_at > $2", hash, time) {
      OwnerPass(
        hash: hash, number: try $0.decode(0),
        openedAt: try $0.decode(1, as: Date.self) - OwnerProofStore.passLifetime)
    }
  }

  /// Deletes codes, passes and messages with codes that expired before a time; returns their number.
  static func purgeOwnerProofs(before: Date) -> Statement<Int> {
    Statement(
      """
      WITH codes AS (DELETE FROM owner_codes WHERE expires_at < $1 RETURNING 1),
      passes AS (DELETE FROM owner_passes WHERE expires_at < $1 RETURNING 1),
      messages AS (
        DELETE FROM outbox WHERE event = 'owner_code' AND (created_at < $1 OR delivered_at IS NOT NULL) RETURNING 1)
      SELECT count(*) FROM (SELECT * FROM codes UNION ALL SELECT * FROM passes UNION ALL SELECT * FROM messages) gone
      """,
      before
    ) { Int(try $0.decode(0, as: Int64.self)) }
  }
}
