// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
public import Storage

/// Takes orders to publish from pages and runs one at a time. Orders are stored in the database, so any server can show
/// the state of the last one.
public final class PublicationOrders: Sendable {
  public struct Order: Sendable, Equatable {
    public enum State: String, Sendable {
      /// Waiting or running.
      case running
      case published
      /// Another process was publishing.
      case busy
      /// Failed or refused by a gate; the list of publications has the reason.
      case failed
      /// The server that ran it stopped.
      case broken
    }

    public var account: String
    public var askedAt: Date
    /// The overruled gates.
    public var gates: [Gate]
    /// The reason, if gates were overruled.
    public var reason: String?
    public var state: State
  }

  private struct OrderRequest: JobMessage {
    var gates: [String]
    var reason: String?
  }

  private struct Outcome: JobMessage {
    var isBusy: Bool
  }

  private let store: JobStore
  private let line: JobRunner

  /// - Parameter publish: makes a publication; throws ``PublishingError/busy`` while another process publishes.
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
      let wish = try OrderRequest(job.request)
      let overrules = wish.gates.compactMap(Gate.init(rawValue:)).map {
        PublicationRequest.Overrule(gate: $0, reason: wish.reason ?? "", by: job.account)
      }
      var outcome = Outcome(isBusy: false)
      do {
        try await publish(
          PublicationRequest(time: Date(), cause: .order, overrules: overrules) { step, _ in say(step) })
      } catch PublishingError.busy {
        outcome.isBusy = true
      }
      return try outcome.text
    }
  }

  /// - Parameters:
  /// - account: 1 to 80 characters.
  /// - gates: the gates to overrule.
  /// - reason: the reason to overrule gates; at most 1,000 characters.
  /// - Returns: false while another order is open.
  public func order(
    by account: String, overruling gates: [Gate], because reason: String?, audit: AuditEvent? = nil
  ) async throws -> Bool {
    let wish = OrderRequest(gates: gates.map(\.rawValue), reason: reason)
    let job = BackgroundJob(kind: .publication, account: account, request: try wish.text)
    guard try await store.place(job, audit: audit) else { return false }
    line.wake()
    return true
  }

  /// Nil if there was none recently.
  public func last() async throws -> Order? {
    guard let job = try await store.job(.publication) else { return nil }
    let wish = try OrderRequest(job.request)
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

  /// Runs orders until ``close()`` is called.
  public func run() async { await line.run() }

  /// Ends ``run()``. A running publication is canceled; the previous publication stays.
  public func close() { line.close() }
}
