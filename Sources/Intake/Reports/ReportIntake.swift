import Foundation
public import Metrics
public import Storage

/// Takes reports from apps and answers when they are on disk.
public struct ReportIntake: Sendable {
  private let store: ReportStore
  private let commits: GroupCommit<Report, ReportOutcome>
  private let pseudonymizer: Pseudonymizer
  private let numbers = NumberReader()
  private let metrics: IntakeMetrics

  /// The most submissions that are taken together.
  public static let mostSubmissions = 1_000

  /// - Parameters:
  ///   - store: where reports go.
  ///   - capacity: the most reports that wait for a commit; at about 400 bytes each the default takes 8 MB.
  ///   - batchSize: the most reports in one transaction.
  ///   - protection: whose reports weigh nothing.
  ///   - touched: told the numbers of what was committed.
  ///   - metrics: makes what it is measured with.
  public init(
    store: ReportStore, pseudonymizer: Pseudonymizer, capacity: Int = 20_000, batchSize: Int = 2_000,
    protection: ProtectionCache = .none, touched: PendingNumberQueue? = nil,
    metrics factory: any MetricsFactory = NOOPMetricsHandler.instance
  ) {
    self.store = store
    self.pseudonymizer = pseudonymizer
    let metrics = IntakeMetrics(factory, kind: "reports")
    self.metrics = metrics
    commits = GroupCommit(
      capacity: capacity, batchSize: batchSize,
      isolates: Self.isPerhapsOfOneItem,
      commit: { reports in
        let answers = try await metrics.measuring(reports.count) {
          do {
            return try await store.accept(protection.unweighing(reports), receivedAt: Date())
          } catch StorageError.reportsDropped(let before) {
            let problem = InvalidSubmission(problems: [.before(retention: before)])
            if reports.count == 1 { metrics.note(problem) }
            throw problem
          }
        }
        touched?.insert(reports.map(\.number))
        metrics.note(answers)
        return answers
      })
  }

  /// Checks submissions, stores those that keep the rules, and answers when they are committed.
  /// - Parameter network: what ``Pseudonymizer/network(of:)`` makes of the sender's address.
  /// - Returns: for each submission in order what became of it; a failure is an ``InvalidSubmission``, or what the
  ///   database said of this one. One that fails does not keep the others from being stored.
  /// - Throws: ``IntakeError``, or what the database said, when none was stored and none is known to be at fault.
  public func take(
    _ submissions: [ReportSubmission], from app: App, network: [UInt8]? = nil
  ) async throws -> [Result<TakenReport, any Error>] {
    let now = Date()
    let checked = submissions.map { submission in
      Result { () throws(InvalidSubmission) in
        try report(submission, from: app, network: network, at: now)
      }
    }
    let reports = checked.compactMap { try? $0.get() }
    let answers = try await commits.submitEach(reports)
    if let error = Self.commonFailure(answers) { throw error }
    var rest = zip(reports, answers).makeIterator()
    return checked.map { result in
      switch result {
      case .failure(let error):
        metrics.note(error)
        return .failure(error)
      case .success:
        guard let (report, answer) = rest.next() else { preconditionFailure("an answer for each report") }
        return answer.map { TakenReport(report: report, outcome: $0) }
      }
    }
  }

  /// Checks a submission, stores it, and answers when it is committed.
  /// - Parameter network: what ``Pseudonymizer/network(of:)`` makes of the sender's address.
  /// - Throws: ``InvalidSubmission``; ``IntakeError``, with nothing taken; or what the database said.
  public func take(_ submission: ReportSubmission, from app: App, network: [UInt8]? = nil) async throws -> TakenReport {
    let report = try report(submission, from: app, network: network, at: Date())
    return TakenReport(report: report, outcome: try await commits.submit([report])[0])
  }

  /// Checks a submission and makes of it what ``take(_:answer:)`` stores; nothing is taken yet.
  /// - Parameter network: what ``Pseudonymizer/network(of:)`` makes of the sender's address.
  /// - Throws: ``InvalidSubmission``.
  public func check(
    _ submission: ReportSubmission, from app: App, network: [UInt8]?
  ) throws(InvalidSubmission) -> Report {
    try report(submission, from: app, network: network, at: Date())
  }

  private func report(
    _ submission: ReportSubmission, from app: App, network: [UInt8]?, at now: Date
  ) throws(InvalidSubmission) -> Report {
    var report = try submission.report(
      appID: app.id, at: now, pseudonymizer: pseudonymizer, network: network, readNumber: numbers.read)
    report.keyID = app.keyID
    return report
  }

  /// Stores a checked report, for callers that are no tasks.
  /// - Parameter answer: called once, when the report is committed or has failed; it must not block.
  /// - Throws: ``IntakeError``, with nothing taken and `answer` not called.
  public func take(
    _ report: Report, answer: @escaping @Sendable (Result<ReportOutcome, any Error>) -> Void
  ) throws(IntakeError) {
    try commits.submit(report, answer: answer)
  }

  /// Withdraws a report: what it added is subtracted, and the reporter's word before it stands again.
  /// - Parameter reportID: the UUID it was sent under.
  /// - Throws: ``InvalidSubmission`` for what is no UUID; or what the database said.
  public func withdraw(reportID: String, from app: App) async throws -> WithdrawalOutcome {
    guard let id = UUID(uuidString: reportID) else {
      throw InvalidSubmission(problems: [
        FieldProblem(field: "report_id", code: "not_a_uuid", detail: "Send the UUID of a report that you sent.")
      ])
    }
    return try await store.withdraw(reportID: id, appID: app.id, at: Date())
  }

  /// Reports that wait for their commit to begin.
  public var depth: Int { commits.depth }

  /// Whether reports that are handed in now are unlikely to be stored: the database does not answer, or has refused the last
  /// ones within a time for no fault of theirs, such as a full disk.
  public func isFailing(within time: Duration) -> Bool { commits.isFailing(within: time) }

  /// The most reports that wait.
  public var capacity: Int { commits.capacity }

  /// Commits until ``close()``; run it in one task for as long as the server lives.
  public func run() async { await commits.run() }

  /// Refuses new reports; what was taken is committed and answered, and then ``run()`` returns.
  public func close() { commits.close() }

  private static func isPerhapsOfOneItem(_ error: any Error) -> Bool {
    error is InvalidSubmission || StoreFailure(error) == .perhapsOneItem
  }

  /// The error of all, when all failed and no item is suspected.
  private static func commonFailure(_ answers: [GroupCommit<Report, ReportOutcome>.Answer]) -> (any Error)? {
    var first: (any Error)?
    for answer in answers {
      guard case .failure(let error) = answer, !isPerhapsOfOneItem(error) else { return nil }
      first = first ?? error
    }
    return first
  }
}

/// A report that is on disk, and what became of it.
public struct TakenReport: Sendable, Equatable {
  /// The report as it is stored.
  public let report: Report
  /// Whether it was new.
  public let outcome: ReportOutcome

  /// - Parameters: see the properties.
  public init(report: Report, outcome: ReportOutcome) {
    self.report = report
    self.outcome = outcome
  }
}
