public import Foundation
public import PostgreSQL

/// Reports: taken in batches, never twice, and withdrawn.
public struct ReportStore: Sendable {
  let pool: PostgresPool
  private let partitions: ReportPartitions

  /// - Parameter pool: where the reports go.
  public init(pool: PostgresPool) {
    self.pool = pool
    partitions = ReportPartitions(pool: pool)
  }

  /// Stores reports and updates what they add up to, in one transaction; whoever gets an answer has them committed.
  ///
  /// Safe to call again with the same reports, which is what happens here when a connection is lost, a deadlock is
  /// broken or a server fails over (see ``PostgresRetryPolicy``).
  /// - Parameters:
  ///   - reports: of reports with one app and id only the first is stored.
  ///   - receivedAt: later than that of the batch before, or two words said at the same time are not told apart by
  ///     their arrival.
  /// - Returns: an outcome for each report, in their order.
  /// - Throws: ``StorageError/reportsDropped(before:)`` when one is of a month that was dropped, and nothing is stored;
  ///   ``PostgresError``; then nothing is stored, or, where the error says that the acknowledgement is in doubt, all or
  ///   nothing is.
  public func accept(_ reports: [Report], receivedAt: Date) async throws -> [ReportOutcome] {
    guard !reports.isEmpty else { return [] }
    var places: [ReportName: Int] = [:]
    places.reserveCapacity(reports.count)
    let firsts = reports.indices.filter { index in
      let name = ReportName(reports[index])
      guard places[name] == nil else { return false }
      places[name] = index
      return true
    }
    let statement = AcceptReports(reports: firsts.map { reports[$0] }, receivedAt: receivedAt)
    let refused = try await commit(statement)

    var outcomes = [ReportOutcome?](repeating: nil, count: reports.count)
    for index in firsts { outcomes[index] = .created }
    for (ordinal, outcome) in refused { outcomes[firsts[ordinal - 1]] = outcome }
    if firsts.count < reports.count {
      for index in reports.indices where outcomes[index] == nil {
        guard let first = places[ReportName(reports[index])], first != index else { continue }
        // Like a retry that came after the first one. Of another content it is like neither, or like what was there.
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

  private func commit(_ statement: AcceptReports) async throws -> [AcceptReports.Row] {
    try await partitions.prepare(for: statement.reports)
    do {
      return try await pool.commit(statement, settings: AcceptReports.settings)
    } catch let error as PostgresError where error.sqlState == "23514" {
      // A month that was known may have been dropped meanwhile; the next look says so in plain words.
      partitions.forget()
      try await partitions.prepare(for: statement.reports)
      throw error
    }
  }

  /// Tells the planner what the tables hold now; worth a second after a large import, when nobody else has yet.
  public func refreshStatistics() async throws {
    try await pool.withConnection { try await $0.execute(script: RefreshStatistics.script) }
  }

  /// Fills in outcomes that the batch itself could not tell: of what another server stored in the same moment.
  private func compare(_ reports: [Report], _ outcomes: inout [ReportOutcome?]) async throws {
    let open = outcomes.indices.filter { outcomes[$0] == nil }
    guard !open.isEmpty else { return }
    let statement = CompareReports(reports: open.map { reports[$0] })
    let found = try await pool.retrying { try await $0.run(statement) }
    for (ordinal, outcome) in found {
      outcomes[open[ordinal - 1]] = outcome
    }
  }
}

/// What an app calls a report.
private struct ReportName: Hashable {
  let appID: Int32
  let reportID: UUID

  init(_ report: Report) {
    appID = report.appID
    reportID = report.reportID
  }
}

extension Report {
  /// Whether the other says the same, to the microsecond that is stored.
  fileprivate func hasContent(of other: Report) -> Bool {
    number == other.number && category == other.category && reporter == other.reporter && comment == other.comment
      && abs(reportedAt.timeIntervalSince(other.reportedAt)) < 0.000_000_5
  }
}
