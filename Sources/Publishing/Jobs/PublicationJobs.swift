public import Foundation
public import Logging
public import Storage

/// Takes orders to publish from pages, and makes one at a time beside the requests. Orders are kept in the database: any
/// server says what became of the last one.
public final class PublicationJobs: Sendable {
  /// An order.
  public struct Order: Sendable, Equatable {
    /// How it ended, or that it has not.
    public enum State: String, Sendable {
      /// It waits, or is being made.
      case running
      /// It is published.
      case published
      /// Somebody else was publishing.
      case busy
      /// It could not be made; the list of publications says why.
      case failed
      /// The server that made it stopped.
      case broken
    }

    /// Who ordered.
    public var account: String
    /// When.
    public var askedAt: Date
    /// Gates that do not hold it back.
    public var gates: [Gate]
    /// Why, where gates were overruled.
    public var reason: String?
    /// How it ended.
    public var state: State
  }

  private struct Wish: JobMessage {
    var gates: [String]
    var reason: String?
  }

  private struct Outcome: JobMessage {
    var isBusy: Bool
  }

  private let store: JobStore
  private let line: JobRunner

  /// - Parameters:
  ///   - store: where orders are kept.
  ///   - publish: makes a publication; throws ``PublishingError/busy`` while somebody else does.
  public convenience init(
    store: JobStore, logger: Logger, publish: @escaping @Sendable (PublicationRequest) async throws -> Void
  ) {
    self.init(store: store, pace: JobRunner.Pace(), logger: logger, publish: publish)
  }

  init(
    store: JobStore, pace: JobRunner.Pace, logger: Logger,
    publish: @escaping @Sendable (PublicationRequest) async throws -> Void
  ) {
    self.store = store
    line = JobRunner(.publication, store: store, pace: pace, logger: logger) { job, say in
      let wish = try Wish(job.request)
      let overrules = wish.gates.compactMap(Gate.init(rawValue:)).map {
        PublicationRequest.Overrule(gate: $0, reason: wish.reason ?? "", by: job.account)
      }
      var outcome = Outcome(isBusy: false)
      do {
        try await publish(
          PublicationRequest(time: Date(), cause: .command, overrules: overrules) { step, _ in say(step) })
      } catch PublishingError.busy {
        outcome.isBusy = true
      }
      return try outcome.text
    }
  }

  /// Orders a publication.
  /// - Parameters:
  ///   - account: who orders, 1 to 80 characters.
  ///   - gates: what is not to hold it back.
  ///   - reason: why, where gates are overruled; at most 1,000 characters.
  ///   - audit: what the audit log says of it.
  /// - Returns: false while another order is open.
  public func order(
    by account: String, overruling gates: [Gate], because reason: String?, audit: AuditEvent? = nil
  ) async throws -> Bool {
    let wish = Wish(gates: gates.map(\.rawValue), reason: reason)
    let job = BackgroundJob(kind: .publication, account: account, request: try wish.text)
    guard try await store.place(job, audit: audit) else { return false }
    line.wake()
    return true
  }

  /// The last order; nil where there is none, or it is long past.
  public func last() async throws -> Order? {
    guard let job = try await store.job(.publication) else { return nil }
    let wish = try Wish(job.request)
    let outcome = try job.outcome.map { try Outcome($0) }
    let state: Order.State =
      switch job.state {
      case .waiting, .running: .running
      case .done: outcome?.isBusy == true ? .busy : .published
      case .failed: .failed
      case .broken: .broken
      }
    return Order(
      account: job.account, askedAt: job.askedAt, gates: wish.gates.compactMap(Gate.init(rawValue:)),
      reason: wish.reason, state: state)
  }

  /// Makes what is ordered until ``close()`` is called.
  public func run() async { await line.run() }

  /// Ends ``run()``; what is being made is broken off, and the former publication stays.
  public func close() { line.close() }
}
