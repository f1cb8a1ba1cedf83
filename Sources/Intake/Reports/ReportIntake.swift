// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
public import Metrics
import PhoneNumbers
public import Storage

/// Accepts reports from apps and answers when they are on disk.
public struct ReportIntake: Sendable {
  private let store: ReportStore
  /// Two are used, each for half of the numbers: so both write at once, and neither waits for a number that the other has changed.
  /// On a cluster there are two for each node that keeps numbers, so that a node that is down delays no other's reports. Nodes
  /// beyond eight share theirs.
  private let commits: [GroupCommit<Report, ReportOutcome>]
  private let pseudonymizer: Pseudonymizer
  private let unassigned = UnassignedNumbers()
  public let traffic: AppTraffic

  /// - Parameters:
  /// - capacity: the most reports waiting for a commit, of half of the numbers; at about 400 bytes each the default takes 8 MB.
  /// - batchSize: the most reports in one transaction.
  /// - patience: the longest expected wait; see ``GroupCommit``.
  /// - stallLimit: how long a transaction may take; see ``GroupCommit``.
  /// - protection: protected numbers, whose reports have the weight 0.
  /// - touched: receives the numbers of committed reports.
  /// - stalled: see ``GroupCommit``.
  public init(
    store: ReportStore, pseudonymizer: Pseudonymizer, capacity: Int = 20_000, batchSize: Int = 2_000,
    patience: Duration = .seconds(5), stallLimit: Duration = .seconds(10),
    protection: ProtectionCache = .none, touched: PendingNumberQueue? = nil,
    stalled: @escaping @Sendable (Duration) -> Void = { _ in },
    metrics factory: any MetricsFactory = NOOPMetricsHandler.instance
  ) {
    self.store = store
    self.pseudonymizer = pseudonymizer
    let metrics = IntakeMetrics(factory, kind: "reports")
    traffic = AppTraffic(factory)
    commits = (0..<16).map { _ in
      GroupCommit(
        capacity: capacity, batchSize: batchSize, patience: patience, stallLimit: stallLimit,
        isolates: Self.isPerhapsOfOneItem,
        stalled: {
          metrics.noteStall()
          stalled($0)
        },
        commit: { reports in
          let answers = try await metrics.measuring(reports.count) {
            do {
              return try await store.accept(protection.unweighing(reports), receivedAt: Date())
            } catch StorageError.reportsDropped(let before) {
              throw InvalidSubmission(problems: [.before(retention: before)])
            }
          }
          touched?.insert(reports.map(\.number))
          metrics.note(answers)
          return answers
        })
    }
  }

  /// The half of the numbers that a number belongs to, 0 or 1: the first bit of its digits times 2⁶⁴ divided by the golden ratio,
  /// which spreads consecutive numbers.
  package static func half(of number: Int64) -> Int {
    Int((UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15) >> 63)
  }

  private func place(of report: Report) -> Int {
    (2 * store.node(of: report.number) + Self.half(of: report.number)) % commits.count
  }

  /// Submits reports to their commits. Reports of one node with one id have one commit, which compares them.
  /// - Returns: the answers, in order.
  /// - Throws: ``IntakeError``, with nothing accepted. Of several nodes, this is an answer.
  private func submitEach(_ reports: [Report]) async throws -> [GroupCommit<Report, ReportOutcome>.Answer] {
    var places: [UUID: Int] = [:]
    let parts = Dictionary(grouping: reports.indices) { index in
      let own = place(of: reports[index])
      let place = places[reports[index].reportID, default: own]
      guard place / 2 == own / 2 else { return own }
      places[reports[index].reportID] = place
      return place
    }
    guard parts.count > 1 else { return try await commits[parts.first?.key ?? 0].submitEach(reports) }
    if Set(parts.keys.map { $0 / 2 }).count == 1 {
      for (place, indices) in parts { try commits[place].checkRoom(for: indices.count) }
    }
    return await withTaskGroup(of: [(Int, GroupCommit<Report, ReportOutcome>.Answer)].self) { group in
      for (place, indices) in parts {
        group.addTask {
          do {
            return Array(zip(indices, try await commits[place].submitEach(indices.map { reports[$0] })))
          } catch {
            return indices.map { ($0, .failure(error)) }
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Checks submissions, stores the valid ones, and answers when they are committed.
  /// - Parameter network: the sender's network from ``Pseudonymizer/network(of:)``.
  /// - Returns: the result of each submission, in order; a failure is an ``InvalidSubmission``, the database's error
  ///   for this report, or an ``IntakeError`` of its half of the numbers. A failure does not prevent the others from being stored.
  /// - Throws: ``IntakeError``, or the database's error, when none was stored and no single report is known to be the
  ///   cause.
  package func take(
    _ incoming: [any IncomingReport], from app: App, network: [UInt8]? = nil
  ) async throws -> [Result<TakenReport, any Error>] {
    let now = Date()
    var checked = incoming.map { incoming in
      Result { () throws(InvalidSubmission) in
        try report(incoming, from: app, network: network, at: now)
      }
    }
    let reports: [Report]
    let answers: [GroupCommit<Report, ReportOutcome>.Answer]
    do {
      let isUnassigned = checked.contains { (try? $0.get())?.isUnassigned == true }
      let areStored = isUnassigned ? try await unassigned.areStored(in: store) : true
      checked = checked.map { result in
        result.flatMap { report in
          guard report.isUnassigned else { return .success(report) }
          let isTaken = areStored && unassigned.take(report.number, from: app.id, at: now)
          return isTaken ? .success(report) : .failure(.unassigned)
        }
      }
      reports = checked.compactMap { try? $0.get() }
      answers = try await submitEach(reports)
      if let error = Self.commonFailure(answers) { throw error }
    } catch {
      traffic.refuse("unavailable", of: app, count: incoming.count)
      throw error
    }
    var rest = zip(reports, answers).makeIterator()
    let results = checked.map { result -> Result<TakenReport, any Error> in
      switch result {
      case .failure(let error): return .failure(error)
      case .success:
        guard let (report, answer) = rest.next() else { preconditionFailure("an answer for each report") }
        return answer.map { TakenReport(report: report, outcome: $0) }
      }
    }
    for result in results { traffic.note(result.map(\.outcome), of: app) }
    return results
  }

  /// Checks a submission, stores it, and answers when it is committed.
  /// - Parameter network: the sender's network from ``Pseudonymizer/network(of:)``.
  /// - Throws: ``InvalidSubmission``; ``IntakeError``, with nothing accepted; or the database's error.
  public func take(_ submission: ReportSubmission, from app: App, network: [UInt8]? = nil) async throws -> TakenReport {
    try await take([submission], from: app, network: network)[0].get()
  }

  /// Checks a submission and returns the report for ``take(_:answer:)``; nothing is stored yet.
  /// - Parameter network: the sender's network from ``Pseudonymizer/network(of:)``.
  /// - Throws: ``InvalidSubmission``.
  public func check(
    _ submission: ReportSubmission, from app: App, network: [UInt8]?
  ) throws(InvalidSubmission) -> Report {
    try report(submission, from: app, network: network, at: Date())
  }

  private func report(
    _ incoming: any IncomingReport, from app: App, network: [UInt8]?, at now: Date
  ) throws(InvalidSubmission) -> Report {
    let checked = try incoming.checked(at: now)
    var report = checked.report(appID: app.id, pseudonymizer: pseudonymizer, network: network)
    report.keyID = app.keyID
    report.verification = checked.verification.map {
      ReportedVerification($0, isTrusted: checked.isAttested || app.scopes.contains(.vouch))
    }
    if app.scopes.contains(.history) {
      report.countOnOwnDay(at: now, hasOwnNetwork: checked.clientAddress != nil)
    }
    return report
  }

  /// Whether a report of an earlier day counts on that day, because its key has the scope history.
  package func isOfPast(_ incoming: any IncomingReport, from app: App) -> Bool {
    guard app.scopes.contains(.history), let madeAt = incoming.madeAt else { return false }
    return ComplaintDays.day(of: madeAt) < ComplaintDays.day(of: Date())
  }

  /// Stores a checked report, for callers that are not tasks.
  /// - Parameter answer: called once, when the report is committed or has failed; it must not block.
  /// - Throws: ``IntakeError``, with nothing accepted and `answer` not called.
  public func take(
    _ report: Report, answer: @escaping @Sendable (Result<ReportOutcome, any Error>) -> Void
  ) throws(IntakeError) {
    try commits[place(of: report)].submit(report, answer: answer)
  }

  /// Withdraws a report: it is subtracted, and the reporter's earlier report becomes the vote again.
  /// - Parameter reportID: the UUID with which it was sent.
  /// - Throws: ``InvalidSubmission`` for a text that is not a UUID; or the database's error.
  public func withdraw(reportID: String, from app: App) async throws -> WithdrawalOutcome {
    guard let id = UUID(uuidString: reportID) else {
      throw InvalidSubmission(problems: [
        FieldProblem(field: "report_id", code: "not_a_uuid", detail: "Send the UUID of a report that you sent.")
      ])
    }
    return try await store.withdraw(reportID: id, appID: app.id, at: Date())
  }

  /// Stores that reports with these names of an app came from an installation, under whose name they are stored.
  package func link(_ reporters: [String], to installation: String, of app: App) async throws {
    try await store.link(
      Set(reporters).map { pseudonymizer.pseudonym(of: $0, appID: app.id) },
      to: pseudonymizer.pseudonym(of: installation, appID: app.id), at: Date())
  }

  /// The two commits of each node.
  private var nodes: [ArraySlice<GroupCommit<Report, ReportOutcome>>] {
    stride(from: 0, to: commits.count, by: 2).map { commits[$0..<$0 + 2] }
  }

  /// Number of reports whose commit has not started, of the half of a node's numbers with most of them.
  public var depth: Int { commits.map(\.depth).max() ?? 0 }

  /// The most waiting reports of a half: further ones are refused.
  public var capacity: Int { commits[0].capacity }

  /// Whether new reports are unlikely to be stored: the database does not answer, or the last commit failed within
  /// `time` for a reason that is not a report's, such as a full disk. A node that is down is no reason while others commit.
  public func isFailing(within time: Duration) -> Bool {
    let working = nodes.filter { !$0.contains { $0.isFailing(within: time) } }
    return working.count < nodes.count && !working.joined().contains { $0.hasCommitted(within: time) }
  }

  /// Commits until ``close()``; run it in one task for the lifetime of the server.
  public func run() async {
    await withDiscardingTaskGroup { group in
      for commits in commits { group.addTask { await commits.run() } }
    }
  }

  /// Refuses new reports; accepted ones are committed and answered, and then ``run()`` returns.
  public func close() { for commits in commits { commits.close() } }

  private static func isPerhapsOfOneItem(_ error: any Error) -> Bool {
    error is InvalidSubmission || StoreFailure(error) == .perhapsOneItem
  }

  /// The common error, when all failed and no single report is suspected.
  private static func commonFailure(_ answers: [GroupCommit<Report, ReportOutcome>.Answer]) -> (any Error)? {
    var first: (any Error)?
    for answer in answers {
      guard case .failure(let error) = answer, !isPerhapsOfOneItem(error) else { return nil }
      first = first ?? error
    }
    return first
  }
}

extension InvalidSubmission {
  /// A number that is not in the plan and is not stored.
  fileprivate static var unassigned: InvalidSubmission {
    InvalidSubmission(problems: [FieldProblem(PhoneNumberError.notValid(region: nil))])
  }
}

/// A report on disk, and its outcome.
public struct TakenReport: Sendable, Equatable {
  public let report: Report
  public let outcome: ReportOutcome
}
