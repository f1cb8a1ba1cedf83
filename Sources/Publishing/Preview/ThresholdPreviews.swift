public import Curation
public import Foundation
public import Logging
import PostgreSQL
public import Storage
import Synchronization

/// Works out what changes of thresholds would do, one after another, beside the requests: a preview reads every number that
/// is hot, and takes minutes where there are millions.
///
/// Each account has one preview, which is kept until it asks for another, in this server's memory: of several servers each
/// knows its own.
public final class ThresholdPreviews: Sendable {
  /// What is asked.
  public struct Request: Sendable {
    /// Names the preview; what is saved is what this one showed.
    public var id: UUID
    /// Who asks.
    public var account: String
    /// The version that the change was made from.
    public var base: Int32
    /// The category that changes.
    public var category: ReportCategory
    /// The country whose threshold changes; nil: that of all others.
    public var country: String?
    /// The set that is in force.
    public var present: ThresholdSet
    /// The set that is thought of.
    public var change: ThresholdSet

    /// - Parameters: see the properties.
    public init(
      id: UUID = UUID(), account: String, base: Int32, category: ReportCategory, country: String?,
      present: ThresholdSet, change: ThresholdSet
    ) {
      self.id = id
      self.account = account
      self.base = base
      self.category = category
      self.country = country
      self.present = present
      self.change = change
    }
  }

  /// How far a preview is.
  public enum State: Sendable {
    /// So many are made before it.
    case waiting(ahead: Int)
    /// It is being made.
    case running(PreviewStep)
    /// It shows this, as of the time that it was begun.
    case done(ThresholdPreview, asOf: Date)
    /// It could not be made; the log says why.
    case failed
  }

  private struct Entry {
    let request: Request
    var state: State
    var task: Task<Void, Never>?
  }

  private struct Desk {
    var entries: [String: Entry] = [:]
    /// Accounts whose preview waits, in the order they asked.
    var waiting: [String] = []
    /// Accounts in the order they last asked: the oldest is forgotten first.
    var known: [String] = []
  }

  private static let mostKept = 32
  private static let examples = 20

  private let store: PublicationStore
  private let holding: HoldReview?
  private let desk = Mutex(Desk())
  private let bell: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation
  private let logger: Logger

  /// - Parameters:
  ///   - store: gives a snapshot.
  ///   - holding: the review that publications make; nil: none.
  public init(store: PublicationStore, holding: HoldReview?, logger: Logger) {
    self.store = store
    self.holding = holding
    self.logger = logger
    (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Asks for a preview in the place of the one the account has.
  public func start(_ request: Request) {
    desk.withLock { desk in
      desk.entries[request.account]?.task?.cancel()
      desk.entries[request.account] = Entry(request: request, state: .waiting(ahead: 0))
      desk.waiting.removeAll { $0 == request.account }
      desk.waiting.append(request.account)
      desk.known.removeAll { $0 == request.account }
      desk.known.append(request.account)
      while desk.known.count > Self.mostKept {
        let oldest = desk.known.removeFirst()
        desk.entries.removeValue(forKey: oldest)?.task?.cancel()
        desk.waiting.removeAll { $0 == oldest }
      }
    }
    ring.yield()
  }

  /// What an account has asked for, and how far it is; nil where it has asked for nothing.
  public func preview(of account: String) -> (request: Request, state: State)? {
    desk.withLock { desk in
      guard let entry = desk.entries[account] else { return nil }
      guard case .waiting = entry.state else { return (entry.request, entry.state) }
      return (entry.request, .waiting(ahead: desk.waiting.firstIndex(of: account) ?? 0))
    }
  }

  /// Forgets an account's preview, and stops making it.
  public func forget(_ account: String) {
    desk.withLock { desk in
      desk.entries.removeValue(forKey: account)?.task?.cancel()
      desk.waiting.removeAll { $0 == account }
      desk.known.removeAll { $0 == account }
    }
  }

  /// Makes previews until ``close()`` is called.
  public func run() async {
    for await _ in bell {
      while let request = next() {
        let task = Task { await make(request) }
        note(request, task: task)
        await withTaskCancellationHandler {
          await task.value
        } onCancel: {
          task.cancel()
        }
      }
    }
  }

  /// Ends ``run()``; what is being made is broken off.
  public func close() {
    ring.finish()
    desk.withLock { desk in
      for entry in desk.entries.values { entry.task?.cancel() }
      desk.waiting = []
    }
  }

  private func next() -> Request? {
    desk.withLock { desk in
      guard !desk.waiting.isEmpty else { return nil }
      return desk.entries[desk.waiting.removeFirst()]?.request
    }
  }

  private func note(_ request: Request, task: Task<Void, Never>) {
    let isKept = desk.withLock { desk in
      guard desk.entries[request.account]?.request.id == request.id else { return false }
      desk.entries[request.account]?.task = task
      return true
    }
    if !isKept { task.cancel() }
  }

  private func say(_ state: State, of request: Request) {
    desk.withLock { desk in
      // Meanwhile the account may have asked for another.
      if desk.entries[request.account]?.request.id == request.id { desk.entries[request.account]?.state = state }
    }
  }

  private func make(_ request: Request) async {
    let time = Date()
    say(.running(.brigades), of: request)
    do {
      let preview = try await store.withSnapshot { [holding] connection in
        try await Selection().preview(
          request.change, against: request.present, at: time, examples: Self.examples, holding: holding, on: connection
        ) { self.say(.running($0), of: request) }
      }
      say(.done(preview, asOf: time), of: request)
    } catch {
      if !Task.isCancelled { logger.error("A preview could not be made", metadata: ["error": "\(error)"]) }
      say(.failed, of: request)
    }
  }
}
