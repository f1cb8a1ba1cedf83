// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Synchronization

/// Collects items of many callers into batches, and answers each caller when its batch is committed.
///
/// There is no artificial delay: a single item is committed at once, and the items that arrive during a commit form the
/// next batch. One loop writes.
///
/// A canceled caller is still answered: its items are committed, and the commit of other callers is not stopped. When
/// the task of ``run()`` is canceled, waiting items are answered with the resulting error.
public final class GroupCommit<Item: Sendable, Outcome: Sendable>: Sendable {
  public typealias Answer = Result<Outcome, any Error>

  private enum Caller {
    case one(@Sendable (Answer) -> Void)
    case many(Int, CheckedContinuation<[Answer], any Error>)

    var count: Int {
      switch self {
      case .one: 1
      case .many(let count, _): count
      }
    }
  }

  /// Items, grouped by caller.
  private struct Batch {
    var items: [Item] = []
    var callers: [Caller] = []
  }

  private struct State {
    var waiting = Batch()
    var committing: [Caller] = []
    /// When the last commit failed for a reason that is not an item's; nil after a success.
    var failedAt: ContinuousClock.Instant?
    var committedAt: ContinuousClock.Instant?
    var isClosed = false
    var wake: CheckedContinuation<Void, Never>?
    var pace = CommitPace()
  }

  private let state = Mutex(State())
  private let cutter = ConnectionCutter()
  /// The most waiting items.
  public let capacity: Int
  private let batchSize: Int
  private let patience: Duration
  private let stallLimit: Duration
  private let cutLimit: Duration
  private let isolates: @Sendable (any Error) -> Bool
  private let stalled: @Sendable (Duration) -> Void
  private let commit: @Sendable ([Item]) async throws -> [Outcome]

  /// - Parameters:
  ///   - capacity: the most waiting items; more are refused.
  ///   - batchSize: the most items in one commit; one caller's items are never split by it.
  ///   - patience: the longest expected wait, estimated from recent commits; items that would wait longer are refused
  ///     at once. Items that fit into the next batch are always accepted.
  ///   - stallLimit: how long a commit may take before all callers are answered with ``IntakeError/stalled``, and new
  ///     items are refused until it has ended.
  ///   - cutLimit: how long it may take before its connection is ended; nil for as long as `stallLimit`.
  ///   - isolates: whether an error may be caused by one item, so that the others are retried without it.
  ///   - stalled: told how long a commit has taken, at the end of `stallLimit` and again after each further one.
  ///   - commit: commits a batch completely or not at all, and returns the outcomes in order.
  public init(
    capacity: Int, batchSize: Int, patience: Duration = .seconds(5), stallLimit: Duration = .seconds(10),
    cutLimit: Duration? = nil, isolates: @escaping @Sendable (any Error) -> Bool,
    stalled: @escaping @Sendable (Duration) -> Void = { _ in },
    commit: @escaping @Sendable ([Item]) async throws -> [Outcome]
  ) {
    precondition(capacity >= 1 && batchSize >= 1)
    self.capacity = capacity
    self.batchSize = batchSize
    self.patience = patience
    self.stallLimit = stallLimit
    self.cutLimit = cutLimit ?? stallLimit
    self.isolates = isolates
    self.stalled = stalled
    self.commit = commit
  }

  /// Number of items whose commit has not started.
  public var depth: Int { state.withLock { $0.waiting.items.count } }

  /// Whether new items are unlikely to be committed: the present commit takes too long, or the last one has failed
  /// within `time` for a reason that is not an item's. Without requests no commit is tried, so an old failure means
  /// nothing.
  public func isFailing(within time: Duration) -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      return state.pace.hung(at: now) >= stallLimit / 4 || state.failedAt.map { now - $0 < time } ?? false
    }
  }

  /// Whether a commit has ended within `time` without such a failure.
  func hasCommitted(within time: Duration) -> Bool {
    state.withLock { state in state.committedAt.map { ContinuousClock.now - $0 < time } ?? false }
  }

  /// Submits items and waits until they are committed.
  /// - Returns: the outcomes, in order.
  /// - Throws: ``IntakeError/full`` or ``IntakeError/closed``, with nothing accepted; or the error of a commit.
  public func submit(_ items: [Item]) async throws -> [Outcome] {
    try await submitEach(items).map { try $0.get() }
  }

  /// Submits items and waits until each is committed or has failed.
  /// - Returns: the answers, in order.
  /// - Throws: ``IntakeError/full`` or ``IntakeError/closed``, with nothing accepted.
  public func submitEach(_ items: [Item]) async throws -> [Answer] {
    if items.isEmpty { return [] }
    return try await withCheckedThrowingContinuation { continuation in
      do throws(IntakeError) {
        try enter(.many(items.count, continuation)) { $0.append(contentsOf: items) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Submits one item without waiting; for callers that are not tasks.
  /// - Parameter answer: called once, when the item is committed or has failed; it must not block.
  /// - Throws: ``IntakeError/full`` or ``IntakeError/closed``, with nothing accepted and `answer` not called.
  public func submit(_ item: Item, answer: @escaping @Sendable (Answer) -> Void) throws(IntakeError) {
    try enter(.one(answer)) { $0.append(item) }
  }

  /// - Throws: the error with which ``submitEach(_:)`` would refuse so many items at this moment.
  func checkRoom(for count: Int) throws(IntakeError) {
    try state.withLock { state throws(IntakeError) in try checkRoom(for: count, state) }
  }

  private func checkRoom(for count: Int, _ state: State) throws(IntakeError) {
    if state.isClosed { throw .closed }
    if state.pace.hung(at: .now) >= stallLimit { throw .stalled }
    let depth = state.waiting.items.count + count
    if depth > capacity { throw .full }
    let commits = (depth + batchSize - 1) / batchSize
    if commits > 1, state.pace.wait(behind: commits, at: .now) > patience { throw .full }
  }

  private func enter(_ caller: Caller, _ add: (inout [Item]) -> Void) throws(IntakeError) {
    let wake = try state.withLock { state throws(IntakeError) -> CheckedContinuation<Void, Never>? in
      try checkRoom(for: caller.count, state)
      add(&state.waiting.items)
      state.waiting.callers.append(caller)
      defer { state.wake = nil }
      return state.wake
    }
    wake?.resume()
  }

  /// Commits until ``close()`` has been called and all accepted items are answered. Run it in one task; canceling that
  /// task closes it too.
  public func run() async {
    let watch = Task { await endStalls() }
    defer { watch.cancel() }
    await withTaskCancellationHandler {
      while let batch = await nextBatch() {
        await answer(batch)
      }
    } onCancel: {
      close()
    }
  }

  /// Refuses new items; accepted ones are still committed and answered.
  public func close() {
    let wake = state.withLock { state in
      state.isClosed = true
      defer { state.wake = nil }
      return state.wake
    }
    wake?.resume()
  }

  private func nextBatch() async -> Batch? {
    while true {
      let (batch, isDone) = state.withLock { state in (takeBatch(of: &state.waiting), state.isClosed) }
      if !batch.callers.isEmpty { return batch }
      if isDone { return nil }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.isClosed || !state.waiting.callers.isEmpty { return true }
          state.wake = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  private func takeBatch(of waiting: inout Batch) -> Batch {
    if waiting.items.count <= batchSize {
      defer { waiting = Batch() }
      return waiting
    }
    var size = 0
    let callers = waiting.callers.prefix { caller in
      let fits = size == 0 || size + caller.count <= batchSize
      if fits { size += caller.count }
      return fits
    }
    let batch = Batch(items: Array(waiting.items.prefix(size)), callers: Array(callers))
    waiting.items.removeFirst(size)
    waiting.callers.removeFirst(callers.count)
    return batch
  }

  /// Answers the callers of a commit that takes too long, until the task is canceled.
  private func endStalls() async {
    var told = Duration.zero
    while (try? await Task.sleep(for: min(.seconds(1), stallLimit / 4))) != nil {
      let (hung, callers) = state.withLock { state -> (Duration, [Caller]) in
        let hung = state.pace.hung(at: .now)
        guard hung >= stallLimit else { return (.zero, []) }
        defer { (state.committing, state.waiting) = ([], Batch()) }
        return (hung, state.committing + state.waiting.callers)
      }
      if hung < told { told = .zero }
      if hung >= told + stallLimit {
        told = hung
        stalled(hung)
      }
      cutter.cut(after: cutLimit)
      for caller in callers {
        switch caller {
        case .one(let answer): answer(.failure(IntakeError.stalled))
        case .many(let count, let continuation):
          continuation.resume(returning: Array(repeating: .failure(IntakeError.stalled), count: count))
        }
      }
    }
  }

  private func answer(_ batch: Batch) async {
    state.withLock { state in
      state.pace.begin(at: .now)
      state.committing = batch.callers
    }
    let answers = await answers(to: batch.items[...])
    let hasFailed = answers.allSatisfy { if case .failure(let error) = $0 { !isolates(error) } else { false } }
    let callers = state.withLock { state in
      state.pace.end(at: .now)
      if hasFailed { state.failedAt = .now } else { (state.failedAt, state.committedAt) = (nil, .now) }
      // Empty when all callers were already answered because the commit took too long.
      defer { state.committing = [] }
      return state.committing
    }
    var place = 0
    for caller in callers {
      switch caller {
      case .one(let answer): answer(answers[place])
      case .many(let count, let continuation): continuation.resume(returning: Array(answers[place..<place + count]))
      }
      place += caller.count
    }
  }

  /// Commits items; when one of them may be the cause of an error, in halves, so that it fails alone.
  private func answers(to items: ArraySlice<Item>) async -> [Answer] {
    do {
      return try await cutter.watching { [commit] in try await commit(Array(items)) }.map { .success($0) }
    } catch  where items.count > 1 && isolates(error) {
      let middle = items.startIndex + items.count / 2
      return await answers(to: items[..<middle]) + answers(to: items[middle...])
    } catch {
      return items.map { _ in .failure(error) }
    }
  }
}

/// The duration of recent commits, from which a wait is estimated.
///
/// It counts commits, not items: a commit of one item takes hardly less than one of a thousand, so it does not reveal
/// the possible items per second.
struct CommitPace {
  /// The duration of the slowest recent commit, decaying.
  private var longest = Duration.zero
  private var began: ContinuousClock.Instant?

  /// Factor by which a slow commit's duration decays with each later one.
  private static let memory = 0.8

  mutating func begin(at now: ContinuousClock.Instant) { began = now }

  mutating func end(at now: ContinuousClock.Instant) {
    guard let began else { return }
    self.began = nil
    longest = max(now - began, longest * Self.memory)
  }

  /// The duration of the present commit so far; zero where there is none.
  func hung(at now: ContinuousClock.Instant) -> Duration { began.map { now - $0 } ?? .zero }

  /// The expected wait of the last of this many commits. A commit in progress is expected to take at least as long
  /// again as it has taken.
  func wait(behind commits: Int, at now: ContinuousClock.Instant) -> Duration {
    max(hung(at: now), longest * commits)
  }
}
