// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
import PostgreSQL

/// Protections of sources and of limited time.
extension ProtectionStore {
  public static let maxTargetsOfSource = 100_000
  /// The most patterns among them.
  public static let maxPatternsOfSource = 200

  /// Replaces the protections of a source. Numbers that are now protected and listed are revoked.
  /// - Parameters:
  ///   - appID: the source; its name is the author of the protections.
  ///   - targets: each with its reason; none for a source that is removed.
  /// - Throws: ``ProtectionError``; `PostgresError`.
  public func replace(
    of appID: Int32, named name: String, with targets: [(target: ProtectionTarget, reason: String)], at time: Date
  ) async throws {
    try await pool.transaction { connection in
      let (numbers, patterns) = try await connection.pipeline(
        SQL.removeNumbersOfSource(appID: appID), SQL.removePatternsOfSource(appID: appID))
      guard !numbers.isEmpty || !patterns.isEmpty || !targets.isEmpty else { return }
      _ = try await connection.run(SQL.bumpProtectionVersion())
      _ = try await Self.add(targets, by: Self.author(ofList: name), appID: appID, at: time, on: connection)
    }
  }

  /// Suppresses a number for its owner. It is revoked where it is listed. Safe to repeat.
  /// - Parameters:
  ///   - actor: the author of the audit event, recorded where the number was not suppressed.
  ///   - isRestored: whether a restored backup gets it again.
  public func suppress(
    _ number: Int64, by actor: Actor, because reason: String? = nil, isRestored: Bool = false, at time: Date
  ) async throws {
    try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.bumpProtectionVersion())
      let kept = try await Self.add(
        [(.number(number), Self.suppressionReason)], by: actor.name, appID: Self.suppression, at: time, on: connection)
      guard kept == 0 else { return .none }
      return .made(
        actor.did(.rightSuppress, to: number, after: isRestored ? Self.restored : nil, because: reason))
    }
  }

  /// Ends the suppression of a number.
  /// - Returns: whether there was one.
  public func lift(
    _ number: Int64, by actor: Actor, because reason: String? = nil, isRestored: Bool = false, at time: Date
  ) async throws -> Bool {
    try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.bumpProtectionVersion())
      guard try await !connection.run(SQL.removeSuppression(number: number)).isEmpty else { return .none(false) }
      return .made(
        actor.did(.rightLift, to: number, after: isRestored ? Self.restored : nil, because: reason), true)
    }
  }

  private static let restored = ["restored": "true"]

  /// `app_id` of a suppression, and its reason.
  private static let suppression: Int32 = -1
  static let suppressionReason = "The owner of the number has suppressed it"

  /// The numbers and patterns of a source, in display form.
  public func texts(of appID: Int32) async throws -> Set<String> {
    let (numbers, patterns) = try await pool.withConnection {
      try await $0.pipeline(SQL.readNumbersOfSource(appID: appID), SQL.readPatternsOfSource(appID: appID))
    }
    return Set(numbers.map { "+\($0)" } + patterns)
  }

  /// The count of listed numbers among some numbers and patterns, which their protection would take off the list. Numbers
  /// of rules for ranges are not counted, and one in several patterns may be counted for each.
  public func listed(among targets: [ProtectionTarget]) async throws -> Int {
    let blocks = targets.flatMap { target -> [ClosedRange<Int64>] in
      switch target {
      case .number(let number): [number...number]
      case .pattern(let pattern): pattern.blocks
      }
    }
    var count = 0
    for start in stride(from: 0, to: blocks.count, by: 10_000) {
      let some = blocks[start..<min(start + 10_000, blocks.count)]
      let counted = SQL.countListed(firsts: some.map(\.lowerBound), lasts: some.map(\.upperBound))
      count += try await pool.run(counted).first ?? 0
    }
    return count
  }

  public func listedCount() async throws -> Int {
    try await pool.run(SQL.countListed(firsts: [1], lasts: [PhoneNumber.digitsRange.upperBound])).first ?? 0
  }

  /// Everything that protects a number now, people first.
  public func protections(of number: Int64) async throws -> [Protection] {
    let (numbers, patterns) = try await pool.withConnection {
      try await $0.pipeline(SQL.readProtectedNumber(number: number), SQL.readProtectedPatterns(only: number))
    }
    // A pattern with x may match a number of another length in SQL.
    return try numbers.map(\.protection)
      + patterns.filter { item in
        try ProtectedPattern(item.what).blocks.contains { $0.contains(number) }
      }
  }

  /// Ends protections whose time is over, each with an audit event.
  /// - Returns: the number of protections that ended.
  public func expire(at time: Date) async throws -> Int {
    try await pool.change(at: time) { connection in
      let (numbers, patterns) = try await connection.pipeline(
        SQL.expireProtectedNumbers(time: time), SQL.expireProtectedPatterns(time: time))
      let ended = numbers + patterns
      guard !ended.isEmpty else { return .none(0) }
      _ = try await connection.run(SQL.bumpProtectionVersion())
      let events = ended.map { what, reason in
        Actor.ringfence.did(.protectionExpire, to: what, before: ["what": what], because: reason)
      }
      return .made(events, ended.count)
    }
  }
}

extension SQL {
  static func removeNumbersOfSource(appID: Int32) -> Statement<Int64> {
    Statement(
      "DELETE FROM protected_numbers WHERE app_id = $1 AND app_id > 0 RETURNING number", appID)
  }

  static func removePatternsOfSource(appID: Int32) -> Statement<String> {
    Statement(
      "DELETE FROM protected_patterns WHERE app_id = $1 AND app_id > 0 RETURNING pattern", appID)
  }

  static func readNumbersOfSource(appID: Int32) -> Statement<Int64> {
    Statement(
      "SELECT number FROM protected_numbers WHERE app_id = $1 AND app_id > 0 ORDER BY number", appID)
  }

  static func readPatternsOfSource(appID: Int32) -> Statement<String> {
    Statement("SELECT pattern FROM protected_patterns WHERE app_id = $1 ORDER BY pattern", appID)
  }

  static func expireProtectedNumbers(time: Date) -> Statement<(what: String, reason: String)> {
    Statement(
      "DELETE FROM protected_numbers WHERE expires_at <= $1 RETURNING '+' || number::text, reason", time
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  static func expireProtectedPatterns(time: Date) -> Statement<(what: String, reason: String)> {
    Statement(
      "DELETE FROM protected_patterns WHERE expires_at <= $1 RETURNING pattern, reason", time
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  static func countListed(firsts: [Int64], lasts: [Int64]) -> Statement<Int> {
    Statement(
      """
      SELECT count(DISTINCT l.number) FROM unnest($1::bigint[], $2::bigint[]) AS t (first, last)
      JOIN listings l ON l.number BETWEEN t.first AND t.last
      """,
      firsts, lasts
    ) { Int(try $0.decode(0, as: Int64.self)) }
  }
}
