// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PostgreSQL

extension ReportStore {
  /// Withdraws a report: subtracts it from the aggregates, and makes the reporter's newest remaining report on the
  /// number the vote again. One transaction; safe to call again.
  ///
  /// New reports of the same reporter may arrive at the same time: both transactions lock the row of the vote, and the
  /// second sees the changes of the first. Rows are locked in the order of a batch: report, vote, categories, number.
  /// - Parameter time: stored with the report; a repeated call recognizes its own work by it.
  /// - Throws: `PostgresError`.
  public func withdraw(reportID: UUID, appID: Int32, at time: Date) async throws -> WithdrawalOutcome {
    try await pool.transaction { connection in
      let reports = try await connection.run(SQL.findReports(appID: appID, reportID: reportID))
      guard !reports.isEmpty else { return .notFound }
      var outcome = WithdrawalOutcome.alreadyWithdrawn
      for report in reports {
        if try await connection.withdraw(report, reportID: reportID, appID: appID, at: time) {
          outcome = .withdrawn
        } else if let earlier = report.withdrawnAt, abs(earlier.timeIntervalSince(time)) < 0.000_001 {
          // This call itself, whose commit was not acknowledged.
          outcome = .withdrawn
        }
      }
      return outcome
    }
  }
}

extension PostgresConnection {
  /// Withdraws one report within a transaction.
  /// - Returns: false when it was withdrawn before.
  @discardableResult
  func withdraw(_ report: StoredReport, reportID: UUID, appID: Int32, at time: Date) async throws -> Bool {
    let mark = SQL.markWithdrawn(report: report, appID: appID, reportID: reportID, time: time)
    guard let (word, reporter, network) = try await run(mark).first else { return false }
    try await subtract(word, of: reporter, network, about: report.number, appID: appID)
    return true
  }

  /// Subtracts a report that has just been marked withdrawn.
  fileprivate func subtract(
    _ word: Word, of reporter: [UInt8]?, _ network: [UInt8]?, about number: Int64, appID: Int32
  ) async throws {
    if reporter == nil { _ = try await run(SQL.lockSource(number: number, appID: appID)) }
    let parts = try await change(word, of: reporter, about: number)
    _ = try await run(SQL.changeAggregates(number: number, parts: parts))
    guard word.category.isToxic, word.weight > 0 else { return }
    // Only now: the number's row is locked, and a batch that has it next adds its days and networks to what is counted here.
    _ = try await run(SQL.recountMarks(number: number, network: network))
    if reporter == nil { _ = try await run(SQL.recountSource(number: number, appID: appID)) }
  }

  /// The changes by the withdrawal of a report; stores the reporter's next vote.
  private func change(
    _ word: Word, of reporter: [UInt8]?, about number: Int64
  ) async throws -> [AggregateChange] {
    // A row of a list has no vote.
    guard let reporter else { return [.init(word: word, weight: -1, reports: -1, reporters: 0)] }
    let present = try await run(SQL.lockVote(number: number, reporter: reporter)).first
    guard present == word else { return [.init(word: word, weight: 0, reports: -1, reporters: 0)] }
    var parts = [AggregateChange(word: word, weight: -1, reports: -1, reporters: word.weight > 0 ? -1 : 0)]
    if let next = try await run(SQL.replaceVote(number: number, reporter: reporter)).first {
      parts.append(.init(word: next, weight: 1, reports: 0, reporters: next.weight > 0 ? 1 : 0))
    }
    return parts
  }
}
