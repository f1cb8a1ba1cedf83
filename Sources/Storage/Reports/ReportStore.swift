// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

/// Reports: stored in batches, never twice, and withdrawn.
public struct ReportStore: Sendable {
  let pool: PostgresPool
  let partitions: ReportPartitions
  let nodes: ShardNodes

  public init(pool: PostgresPool) {
    self.pool = pool
    partitions = ReportPartitions(pool: pool)
    nodes = ShardNodes(pool: pool)
  }

  /// The id of the node of a number, for commits that do not wait for other nodes: 0 where there is one.
  public func node(of number: Int64) -> Int { nodes.group(of: number) }

  /// - Throws: ``StorageError/unsuitableCluster(version:)``, ``StorageError/notDistributed(table:)`` where reports cannot be stored;
  ///   `PostgresError`.
  public func checkCluster() async throws { try await nodes.check() }

  /// Stores reports and updates the aggregates in one transaction; when it returns, they are committed. On a cluster in
  /// one transaction for each node that keeps numbers of the reports, at the same time.
  ///
  /// Safe to call again with the same reports; the call itself repeats them after a lost connection, a deadlock or a
  /// failover (see ``PostgresRetryPolicy``).
  /// - Parameters:
  ///   - reports: of several with one app and id only the first is stored. A stored report with this id and another number is not
  ///     found on a cluster, or where there is no reporter: the report is new.
  ///   - receivedAt: later than for the batch before; otherwise the order of two reports with the same time is
  ///     undefined.
  /// - Returns: the outcome of each report, in the order of the reports.
  /// - Throws: ``StorageError/reportsDropped(before:)`` when a report is of a dropped month, with nothing stored;
  ///   ``PostgresError``; then nothing is stored or, when the error says that the commit is in doubt, everything or
  ///   nothing. On a cluster reports of other nodes may be stored; they are duplicates the next time.
  public func accept(_ reports: [Report], receivedAt: Date) async throws -> [ReportOutcome] {
    guard !reports.isEmpty else { return [] }
    var places: [ReportName: Int] = [:]
    places.reserveCapacity(reports.count)
    func first(_ report: Report) -> Int? {
      let isOfNumber = report.reporter == nil
      if let place = places[ReportName(report, isOfNumber: isOfNumber)] { return place }
      let other = places[ReportName(report, isOfNumber: !isOfNumber)]
      return other.flatMap { reports[$0].number == report.number ? $0 : nil }
    }
    let firsts = reports.indices.filter { index in
      guard first(reports[index]) == nil else { return false }
      places[ReportName(reports[index], isOfNumber: reports[index].reporter == nil)] = index
      return true
    }
    var outcomes = [ReportOutcome?](repeating: nil, count: reports.count)
    let refused = try await commit(firsts.map { reports[$0] }, receivedAt: receivedAt)
    for index in firsts { outcomes[index] = .created }
    for (ordinal, outcome) in refused { outcomes[firsts[ordinal - 1]] = outcome }
    if firsts.count < reports.count {
      for index in reports.indices where outcomes[index] == nil {
        guard let first = first(reports[index]), first != index else { continue }
        // Like a retry after the first one. With other content the outcome is a conflict, or the outcome of the existing
        // report.
        if reports[index].hasContent(of: reports[first]) {
          outcomes[index] = outcomes[first] == .created ? .duplicate : outcomes[first]
        } else if outcomes[first] == .created || outcomes[first] == .duplicate {
          outcomes[index] = .conflict
        }
      }
    }
    try await compare(reports, &outcomes)
    return outcomes.map { $0 ?? .duplicate }
  }

  /// As ``HoldStore/takesUnassigned()``.
  package func takesUnassigned() async throws -> Bool { try await HoldStore(pool: pool).takesUnassigned() }

  private func commit(_ reports: [Report], receivedAt: Date) async throws -> [Refusal] {
    try await partitions.prepare(for: reports.lazy.map(\.reportedAt))
    do {
      return try await write(reports, receivedAt: receivedAt)
    } catch let error as PostgresError where error.sqlState == "23514" {
      // A cached month may have been dropped meanwhile; preparing it again throws the precise error.
      partitions.forget()
      try await partitions.prepare(for: reports.lazy.map(\.reportedAt))
      throw error
    }
  }

  /// Writes reports in a transaction on each of their nodes.
  /// - Parameter attempt: from 1 on; reports whose shards have moved are tried again on their new nodes.
  private func write(_ reports: [Report], receivedAt: Date, attempt: Int = 1) async throws -> [Refusal] {
    let parts = try await nodes.parts(of: reports.map(\.number))
    // All parts end before one fails the call, because a commit must not be canceled.
    return try await withTaskGroup(of: Result<[Refusal], any Error>.self) { group in
      for part in parts {
        group.addTask {
          do {
            return .success(try await write(part, of: reports, receivedAt: receivedAt))
          } catch let error as PostgresError where error.isOfMovedShard && part.mayMove && attempt < 8 {
            do {
              try await Task.sleep(for: .milliseconds(20 << attempt))
              let places = part.shards.flatMap(\.places)
              let refused = try await write(places.map { reports[$0] }, receivedAt: receivedAt, attempt: attempt + 1)
              return .success(refused.map { (places[$0.ordinal - 1] + 1, $0.outcome) })
            } catch {
              return .failure(error)
            }
          } catch {
            return .failure(error)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }.flatMap { try $0.get() }
  }

  /// Writes the reports of one node in a transaction there.
  private func write(_ part: ShardNodes.Part, of reports: [Report], receivedAt: Date) async throws -> [Refusal] {
    var pipeline = PostgresPipeline()
    part.open(&pipeline)
    let answers = part.shards.map { tables, places in
      let reports = places.map { reports[$0] }
      let unassigned = Set(reports.filter(\.isUnassigned).map(\.number)).sorted()
      if !unassigned.isEmpty {
        pipeline.add(SQL.holdUnassigned(numbers: unassigned, time: receivedAt, in: tables.names))
      }
      let rows = pipeline.add(SQL.acceptReports(reports, receivedAt: receivedAt, in: tables))
      let failed = Set(reports.filter { $0.verification?.isOfFalseCaller == true }.map(\.number)).sorted()
      if !failed.isEmpty { pipeline.add(SQL.markFailedCalls(numbers: failed, in: tables.names)) }
      return (places: places, rows: rows)
    }
    let vouched = VouchedReporter.all(of: part.shards.flatMap(\.places).map { reports[$0] })
    let vouch = SQL.storeVouchedReporters(vouched: vouched, receivedAt: receivedAt)
    if !vouched.isEmpty, !part.mayMove { pipeline.add(vouch) }
    let results = try await nodes.run(on: part.node) { [pipeline] in try await $0.commit(pipeline, retry: $1) }
    // On a cluster these days are on every node. While one is away they are left out: the apps' servers send them again with
    // the next reports.
    if !vouched.isEmpty, part.mayMove { _ = try? await pool.run(vouch) }
    return try answers.flatMap { places, rows in
      try results.rows(rows).map { (places[$0.ordinal - 1] + 1, $0.outcome) }
    }
  }

  /// Refreshes planner statistics; worth a second after a large import, before autovacuum does it.
  public func refreshStatistics() async throws {
    try await pool.withConnection { connection in
      for command in RefreshStatistics.commands { try await connection.execute(script: command) }
    }
  }

  /// Fills in the outcomes of reports that another server stored at the same moment, which the batch itself cannot
  /// know.
  private func compare(_ reports: [Report], _ outcomes: inout [ReportOutcome?]) async throws {
    let open = outcomes.indices.filter { outcomes[$0] == nil }
    guard !open.isEmpty else { return }
    for part in try await nodes.parts(of: open.map { reports[$0].number }) {
      for (tables, places) in part.shards {
        let statement = SQL.compareReports(reports: places.map { reports[open[$0]] }, in: tables.names)
        let found = try await nodes.run(on: part.node) { pool, retry in
          try await pool.retrying(retry) { try await $0.run(statement) }
        }
        for (ordinal, outcome) in found { outcomes[open[places[ordinal - 1]]] = outcome }
      }
    }
  }
}

/// A report that was not stored, by its place from 1 on; no outcome where another server stored it a moment ago.
private typealias Refusal = (ordinal: Int, outcome: ReportOutcome?)

/// The app's identity of a report.
private struct ReportName: Hashable {
  let appID: Int32
  let reportID: UUID
  /// Of a report without a reporter, whose id belongs to its number.
  let number: Int64?

  init(_ report: Report, isOfNumber: Bool) {
    (appID, reportID, number) = (report.appID, report.reportID, isOfNumber ? report.number : nil)
  }
}

extension Report {
  /// Whether the other report has the same content, to the stored microsecond.
  fileprivate func hasContent(of other: Report) -> Bool {
    number == other.number && category == other.category && reporter == other.reporter && comment == other.comment
      && abs(reportedAt.timeIntervalSince(other.reportedAt)) < 0.000_000_5
  }
}

/// The text of the store's own SQL, for programs that run it without the store.
extension ReportStore {
  /// The statement that stores a batch of reports and updates the aggregates, with the placeholders `$1` to `$19`.
  package static var insertSQL: String { IntakeTables.schema.acceptReports }

  /// Seconds before and after a report within which its id is looked up; bound to `$14` and `$15`.
  package static var idWindow: TimeInterval { SQL.reportIDWindow }

  /// Scripts that create the partitions of the month of `time` and of the next one.
  package static func partitionScripts(at time: Date) -> [String] {
    let month = Month(containing: time)
    return [month, month.next].map { CreateReportPartition(month: $0).script }
  }

  package static func readIndexes(of table: String) -> Statement<IndexDefinition> {
    SQL.readIndexes(tables: [table], withConditions: true)
  }
}
