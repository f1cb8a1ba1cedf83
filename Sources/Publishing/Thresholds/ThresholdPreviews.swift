// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import Logging
import PostgreSQL
public import Storage

/// Computes previews of threshold changes one after another as background jobs. A preview reads every hot number, which
/// takes minutes for millions of numbers.
///
/// Each account has one preview, kept for a day or until it requests another. Any server can show it.
public final class ThresholdPreviews: Sendable {
  public enum Subject: Sendable, Equatable {
    /// The threshold of a category in a country, or the default of the category.
    case threshold(ReportCategory, country: String?)
    /// The weight rule of an imported list.
    case list(Int32)
    /// The limits for labels.
    case identify
    /// The weights of new reporters of an app by what their phone has attested.
    case attestation(app: Int32)
  }

  public struct Request: Sendable {
    /// Saving applies the change of the preview with this id.
    public var id: UUID
    public var account: String
    /// The version on which the change is based.
    public var base: Int32
    public var subject: Subject
    /// The set in force.
    public var present: ThresholdSet
    /// The proposed set.
    public var change: ThresholdSet

    /// The sets differ only in the subject.
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

  public enum State: Sendable {
    /// Waiting for this many other previews.
    case waiting(ahead: Int)
    case running(JobStep)
    /// The result, computed for the time at which it was started.
    case done(ThresholdPreview, asOf: Date)
    /// Failed; the log has the reason.
    case failed
    /// The server that computed it stopped.
    case broken
  }

  private static let examples = 20

  private let jobs: JobStore
  private let thresholds: ThresholdStore
  private let line: JobRunner

  /// - Parameter holding: the review that publications make; nil for none.
  public convenience init(
    store: PublicationStore, thresholds: ThresholdStore, jobs: JobStore, holding: BrigadeReview?, logger: Logger
  ) {
    self.init(
      store: store, thresholds: thresholds, jobs: jobs, holding: holding, pace: JobRunner.Pace(), logger: logger)
  }

  init(
    store: PublicationStore, thresholds: ThresholdStore, jobs: JobStore, holding: BrigadeReview?, pace: JobRunner.Pace,
    logger: Logger
  ) {
    self.jobs = jobs
    self.thresholds = thresholds
    line = JobRunner(.preview, store: jobs, pace: pace, logger: logger) { job, say in
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

  /// Replaces the account's earlier preview.
  public func start(_ request: Request) async throws {
    try await place(request.id, request.account, try PreviewRequest(request).text)
  }

  /// Starts a failed or interrupted preview again.
  public func startAgain(_ account: String) async throws {
    guard let job = try await jobs.job(.preview, of: account, isWithOutcome: false),
      job.state == .failed || job.state == .broken
    else { return }
    try await place(UUID(), account, job.request)
  }

  public func hasPreview(_ account: String) async throws -> Bool {
    try await jobs.job(.preview, of: account, isWithOutcome: false) != nil
  }

  /// An account's request and its state; nil if it has none, or one of another version of the program, whose rules have other
  /// fields.
  public func preview(of account: String) async throws -> (request: Request, state: State)? {
    guard let job = try await jobs.job(.preview, of: account) else { return nil }
    guard let stored = try? PreviewRequest(job.request) else { return nil }
    let request = try await stored.request(job, thresholds)
    let state: State =
      switch job.state {
      case .waiting: .waiting(ahead: job.ahead)
      case .running: .running(job.step ?? .starting)
      case .done: job.outcome.flatMap { try? PreviewOutcome($0) }.map { .done($0.preview, asOf: $0.asOf) } ?? .failed
      case .failed: .failed
      case .broken: .broken
      }
    return (request, state)
  }

  /// Also stops its computation.
  public func forget(_ account: String) async throws {
    try await jobs.remove(.preview, of: account)
  }

  /// Computes previews until ``close()`` is called.
  public func run() async { await line.run() }

  /// Ends ``run()``. A running preview is canceled.
  public func close() { line.close() }

  private func place(_ id: UUID, _ account: String, _ request: String) async throws {
    _ = try await jobs.place(BackgroundJob(id: id, kind: .preview, account: account, request: request))
    line.wake()
  }
}

/// The stored request of a preview. It names threshold sets by version instead of copying them.
struct PreviewRequest: JobMessage {
  let base: Int32
  /// Nil for a list.
  let category: ReportCategory?
  let country: String?
  /// Nil to remove a country's own threshold.
  let threshold: Threshold?
  /// Nil for a threshold.
  let list: Int32?
  /// Nil to remove a list's own rule.
  let rule: SourceRule?
  /// Nil for a threshold or a list.
  let identify: IdentifyRule?
  /// Nil for all others.
  let attestation: AttestationRule?

  init(_ request: ThresholdPreviews.Request) {
    base = request.base
    identify = request.subject == .identify ? request.change.identify : nil
    if case .attestation(let app) = request.subject {
      attestation = request.change.rule(ofApp: app)
    } else {
      attestation = nil
    }
    switch request.subject {
    case .threshold(let category, let country):
      (self.category, self.country, list, rule) = (category, country, nil, nil)
      threshold = request.change.own(category, country: country)
    case .identify, .attestation: (category, country, threshold, list, rule) = (nil, nil, nil, nil, nil)
    case .list(let list):
      (category, country, threshold, self.list) = (nil, nil, nil, list)
      rule = request.change.own(list: list)
    }
  }

  /// Rebuilds the request with the threshold sets of its version.
  /// - Throws: `StorageError` if the version no longer exists; `ThresholdProblem`.
  func request(_ job: BackgroundJob, _ store: ThresholdStore) async throws -> ThresholdPreviews.Request {
    let present = try await store.version(base).set
    let subject: ThresholdPreviews.Subject
    var change = present
    if let attestation {
      subject = .attestation(app: attestation.appID)
      change = try present.replacing(attestation)
    } else if let identify {
      subject = .identify
      change = try present.replacing(identify)
    } else if let list {
      subject = .list(list)
      change = try rule.map { try present.replacing($0) } ?? present.removing(ruleOfList: list)
    } else {
      let category = category ?? .other
      subject = .threshold(category, country: country)
      if let threshold {
        change = try present.replacing(threshold)
      } else if let country {
        change = try present.removing(category, country: country)
      }
    }
    return ThresholdPreviews.Request(
      id: job.id, account: job.account, base: base, subject: subject, present: present, change: change)
  }
}

struct PreviewOutcome: JobMessage {
  let preview: ThresholdPreview
  let asOf: Date

  init(preview: ThresholdPreview, asOf: Date) {
    self.preview = preview
    self.asOf = asOf
  }
}
