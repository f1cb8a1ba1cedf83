public import Curation
public import Foundation
public import Logging
import PostgreSQL
public import Storage

/// Works out what changes of thresholds would do, one after another, beside the requests: a preview reads every number that
/// is hot, and takes minutes where there are millions.
///
/// Each account has one preview, which is kept for a day or until it asks for another; any server shows it.
public final class ThresholdPreviews: Sendable {
  /// What changes.
  public enum Subject: Sendable, Equatable {
    /// The threshold of a category: a country's, or that of all others.
    case threshold(ReportCategory, country: String?)
    /// What an imported list counts for.
    case list(Int32)
  }

  /// What is asked.
  public struct Request: Sendable {
    /// Names the preview; what is saved is what this one showed.
    public var id: UUID
    /// Who asks.
    public var account: String
    /// The version that the change was made from.
    public var base: Int32
    /// What changes.
    public var subject: Subject
    /// The set that is in force.
    public var present: ThresholdSet
    /// The set that is thought of.
    public var change: ThresholdSet

    /// - Parameters: see the properties. The sets differ in the subject alone.
    public init(
      id: UUID = UUID(), account: String, base: Int32, subject: Subject, present: ThresholdSet, change: ThresholdSet
    ) {
      self.id = id
      self.account = account
      self.base = base
      self.subject = subject
      self.present = present
      self.change = change
    }
  }

  /// How far a preview is.
  public enum State: Sendable {
    /// So many are made before it.
    case waiting(ahead: Int)
    /// It is being made.
    case running(JobStep)
    /// It shows this, as of the time that it was begun.
    case done(ThresholdPreview, asOf: Date)
    /// It could not be made; the log says why.
    case failed
    /// The server that made it stopped.
    case broken
  }

  private static let examples = 20

  private let desk: JobStore
  private let thresholds: ThresholdStore
  private let line: JobRunner

  /// - Parameters:
  ///   - store: gives a snapshot.
  ///   - thresholds: what is in force.
  ///   - desk: where previews are kept.
  ///   - holding: the review that publications make; nil: none.
  public convenience init(
    store: PublicationStore, thresholds: ThresholdStore, desk: JobStore, holding: BrigadeReview?, logger: Logger
  ) {
    self.init(
      store: store, thresholds: thresholds, desk: desk, holding: holding, pace: JobRunner.Pace(), logger: logger)
  }

  init(
    store: PublicationStore, thresholds: ThresholdStore, desk: JobStore, holding: BrigadeReview?, pace: JobRunner.Pace,
    logger: Logger
  ) {
    self.desk = desk
    self.thresholds = thresholds
    line = JobRunner(.preview, store: desk, pace: pace, logger: logger) { job, say in
      let time = Date()
      let request = try await PreviewRequest(job.request).request(job, thresholds)
      say(.findingBrigades)
      let preview = try await store.withSnapshot { connection in
        try await Selection().preview(
          request.change, against: request.present, at: time, examples: Self.examples, holding: holding, on: connection,
          progress: say)
      }
      return try PreviewOutcome(preview: preview, asOf: time).text
    }
  }

  /// Asks for a preview in the place of the one the account has.
  public func start(_ request: Request) async throws {
    try await place(request.id, request.account, try PreviewRequest(request).text)
  }

  /// Begins anew what could not be made, or was broken off.
  public func startAgain(_ account: String) async throws {
    guard let job = try await desk.job(.preview, of: account, isWithOutcome: false),
      job.state == .failed || job.state == .broken
    else { return }
    try await place(UUID(), account, job.request)
  }

  /// Whether an account has one.
  public func hasPreview(_ account: String) async throws -> Bool {
    try await desk.job(.preview, of: account, isWithOutcome: false) != nil
  }

  /// What an account has asked for, and how far it is; nil where it has asked for nothing.
  public func preview(of account: String) async throws -> (request: Request, state: State)? {
    guard let job = try await desk.job(.preview, of: account) else { return nil }
    let request = try await PreviewRequest(job.request).request(job, thresholds)
    let state: State =
      switch job.state {
      case .waiting: .waiting(ahead: job.ahead)
      case .running: .running(job.step ?? .starting)
      case .done: try job.outcome.map { try PreviewOutcome($0) }.map { .done($0.preview, asOf: $0.asOf) } ?? .failed
      case .failed: .failed
      case .broken: .broken
      }
    return (request, state)
  }

  /// Forgets an account's preview, and stops making it.
  public func forget(_ account: String) async throws {
    try await desk.remove(.preview, of: account)
  }

  /// Makes previews until ``close()`` is called.
  public func run() async { await line.run() }

  /// Ends ``run()``; what is being made is broken off.
  public func close() { line.close() }

  private func place(_ id: UUID, _ account: String, _ request: String) async throws {
    _ = try await desk.place(BackgroundJob(id: id, kind: .preview, account: account, request: request))
    line.wake()
  }
}
