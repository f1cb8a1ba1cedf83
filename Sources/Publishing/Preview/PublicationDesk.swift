import Foundation
public import Logging
import Synchronization

/// Takes orders to publish from pages, and makes one at a time beside the requests.
///
/// An order lives in this server's memory: the publication itself says in the database how it goes.
public final class PublicationDesk: Sendable {
  /// How the last order ended.
  public enum Outcome: Sendable, Equatable {
    /// Nobody has ordered anything since the server was started.
    case none
    /// It waits, or is being made.
    case running
    /// It is published.
    case published
    /// Somebody else was publishing.
    case busy
    /// It could not be made; the list of publications says why.
    case failed
  }

  private struct State {
    var next: PublicationRequest?
    var outcome = Outcome.none
    var task: Task<Void, Never>?
  }

  private let publish: @Sendable (PublicationRequest) async throws -> Void
  private let state = Mutex(State())
  private let bell: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation
  private let logger: Logger

  /// - Parameter publish: makes a publication.
  public init(logger: Logger, publish: @escaping @Sendable (PublicationRequest) async throws -> Void) {
    self.publish = publish
    self.logger = logger
    (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// How the last order ended.
  public var outcome: Outcome { state.withLock { $0.outcome } }

  /// Orders a publication.
  /// - Returns: false while another order is being made.
  public func order(_ request: PublicationRequest) -> Bool {
    let isTaken = state.withLock { state in
      guard state.outcome != .running else { return false }
      state.outcome = .running
      state.next = request
      return true
    }
    if isTaken { ring.yield() }
    return isTaken
  }

  /// Makes what is ordered until ``close()`` is called.
  public func run() async {
    for await _ in bell {
      guard let request = state.withLock({ $0.next.take() }) else { continue }
      let task = Task { await make(request) }
      state.withLock { $0.task = task }
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  /// Ends ``run()``; what is being made is broken off, and the former publication stays.
  public func close() {
    ring.finish()
    state.withLock { $0.task }?.cancel()
  }

  private func make(_ request: PublicationRequest) async {
    var outcome = Outcome.published
    do {
      try await publish(request)
    } catch PublishingError.busy {
      outcome = .busy
    } catch {
      outcome = .failed
      logger.warning("A publication that was ordered on a page was not made", metadata: ["error": "\(error)"])
    }
    let ended = outcome
    state.withLock { $0.outcome = ended }
  }
}
