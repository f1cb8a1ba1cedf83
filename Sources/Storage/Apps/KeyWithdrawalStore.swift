// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// Withdraws the reports of a stolen key, in bounded steps that can be interrupted at any point.
///
/// A step reads a page of the app's reports through the index on their ids, for all keys, and withdraws some of those
/// that match, each as its reporter would. Its progress is committed with it. On a cluster the reports of each number are
/// withdrawn before, in a transaction of their own on its node, because Citus refuses to change many numbers by single
/// statements in a transaction with a reference table. After an interruption those are done and not counted.
public struct KeyWithdrawalStore: Sendable {
  private let pool: PostgresPool
  private let nodes: ShardNodes

  /// The most reports that a step reads, and withdraws: locks on numbers are held for a fraction of a second.
  private static let page = 1_000
  private static let batch = 100

  public init(pool: PostgresPool) {
    self.pool = pool
    nodes = ShardNodes(pool: pool)
  }

  /// Counts the reports that would be withdrawn.
  /// - Parameter until: nil for all reports of the key.
  /// - Throws: ``AppError/noKey(_:)``, ``AppError/inFuture``, ``AppError/endsBeforeBegin``.
  public func trace(keyID: Int32, since: Date, until: Date?, at time: Date) async throws -> KeyReportCounts {
    try await pool.withConnection { connection in
      let key = try await connection.key(keyID)
      // Nothing arrives after the end of a key but reports with its tokens.
      let until = try Self.end(until ?? (since <= time ? time : nil), of: key, since: since, at: time)
      return try await connection.run(
        """
        SELECT count(*), count(DISTINCT number), count(DISTINCT reporter), min(received_at), max(received_at)
        FROM (
          SELECT number, reporter, received_at FROM reports
          WHERE app_id = $1 AND reporter IS NOT NULL AND withdrawn_at IS NULL AND \(KeyReportCounts.isOfKey)
          LIMIT \(KeyReportCounts.maxReports)
        ) found
        """,
        KeyPeriod(key: key, since: since, until: until)
      ) { row in
        KeyReportCounts(
          reports: Int(try row.decode(0, as: Int64.self)), numbers: Int(try row.decode(1, as: Int64.self)),
          reporters: Int(try row.decode(2, as: Int64.self)), first: try row.decode(3), last: try row.decode(4))
      }[0]
    }
  }

  /// Stores a request to withdraw a key's reports, and deletes the tokens that the key has created for installations.
  /// - Parameters:
  ///   - since: reports that arrived at this time or later are withdrawn.
  ///   - until: reports that arrived before this time are withdrawn; not before `since` and not after `time`. Nil for
  ///     all reports of the key: servers accept a key for a while after its end, so the work begins only then.
  ///   - reason: 1 to 1,000 characters.
  /// - Throws: ``AppError/noKey(_:)``, ``AppError/inFuture``, ``AppError/endsBeforeBegin``.
  public func ask(
    keyID: Int32, since: Date, until: Date?, because reason: String, by person: String, at time: Date
  ) async throws -> KeyWithdrawal {
    try await pool.change(at: time, retry: .never) { connection in
      let key = try await connection.key(keyID)
      var end = try Self.end(until, of: key, since: since, at: time)
      // Tokens of installations outlive an expired key, and servers may still be storing their reports.
      let tokens = try await connection.run(SQL.deleteInstallations(keyID: keyID))[0]
      if tokens > 0, until == nil { end = max(end, AppKey.lastArrival(after: time)) }
      let fields = ["since": since.ISO8601Format(), "until": end.ISO8601Format()]
      let withdrawal = try await connection.run(
        SQL.insertKeyWithdrawal(
          keyID: keyID, since: since, until: end, reason: reason, askedBy: person, askedAt: time))[0]
      return .made(
        .app(.appWithdraw, app: key.appName, key: keyID, by: person, after: fields, reason: reason), withdrawal)
    }
  }

  private static func end(_ until: Date?, of key: AppKey, since: Date, at time: Date) throws -> Date {
    if let until, until > time { throw AppError.inFuture }
    let end = until ?? key.lastArrival(at: time)
    guard since <= end else { throw AppError.endsBeforeBegin }
    return end
  }

  /// Recent withdrawals, the newest first.
  /// - Parameter onlyOpen: leaves out finished ones.
  public func list(onlyOpen: Bool) async throws -> [KeyWithdrawal] {
    try await pool.run(
      """
      SELECT \(KeyWithdrawal.columns) FROM key_withdrawals WHERE done_at IS NULL OR NOT $1
      ORDER BY withdrawal_id DESC LIMIT 200
      """,
      onlyOpen
    ) { try KeyWithdrawal($0) }
  }

  /// Does one step; it does nothing while reports that match can still arrive.
  /// - Returns: the progress; nil when there is no such withdrawal.
  public func step(_ id: Int64, at time: Date) async throws -> KeyWithdrawal? {
    let isCluster = try await nodes.isCluster
    return try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.writeShardsInOrder())
      let found = try await connection.run(SQL.lockKeyWithdrawal(id: id)).first
      guard let work = found, work.doneAt == nil, work.until <= time else { return .none(found) }
      let key = try await connection.key(work.keyID)
      let page = try await connection.run(SQL.readReportsOfApp(key: key, withdrawal: work, limit: Self.page))
      let meant = page.filter(\.isMeant)
      let batch = meant.prefix(Self.batch)
      // In the order in which batches of reports lock numbers.
      for (number, some) in Dictionary(grouping: batch, by: \.report.number).sorted(by: { $0.key < $1.key }) {
        let withdraw = { @Sendable (connection: PostgresConnection) async throws in
          for found in some {
            try await connection.withdraw(found.report, reportID: found.reportID, appID: key.appID, at: time)
          }
        }
        if isCluster { try await nodes.transaction(about: number, withdraw) } else { try await withdraw(connection) }
      }
      let isWhole = batch.count == meant.count
      let isEnd = isWhole && page.count < Self.page
      if isEnd {
        _ = try await connection.run(
          SQL.withdrawPersonalNumbers(keyID: work.keyID, since: work.since, until: work.until))
        _ = try await connection.run(SQL.withdrawVouchedReporters(keyID: work.keyID, since: work.since))
      }
      let last = isWhole ? page.last : batch.last
      let progress = try await connection.run(
        SQL.advanceKeyWithdrawal(
          id: id, position: last?.reportID ?? work.position, seen: page.count, withdrawn: batch.count,
          doneAt: isEnd ? time : nil)
      ).first
      guard isEnd else { return .none(progress) }
      let fields = ["reports": "\(work.withdrawn + Int64(batch.count))"]
      return .made(
        .app(.appWithdrawn, app: key.appName, key: key.id, by: work.askedBy, after: fields), progress)
    }
  }
}
