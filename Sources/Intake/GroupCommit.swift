import Synchronization

/// Gathers what many callers hand in at once into batches, and answers each when its batch is committed.
///
/// There is no delay on purpose: a lone item is committed at once, and whatever gathers during a commit is the next
/// batch. One loop writes; more of them only make the batches smaller.
///
/// A caller that is cancelled is answered all the same: what it handed in is committed, and nobody else's commit is
/// stopped for it. When the task of ``run()`` is cancelled, what waits is answered with the error that this brings.
public final class GroupCommit<Item: Sendable, Outcome: Sendable>: Sendable {
  /// What became of one item.
  public typealias Answer = Result<Outcome, any Error>

  private struct Group {
    let items: [Item]
    let continuation: CheckedContinuation<[Answer], any Error>
  }

  private struct State {
    var waiting: [Group] = []
    var items = 0
    var isClosed = false
    var wake: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  /// The most items that wait.
  public let capacity: Int
  private let batchSize: Int
  private let isolates: @Sendable (any Error) -> Bool
  private let commit: @Sendable ([Item]) async throws -> [Outcome]

  /// - Parameters:
  ///   - capacity: the most items that wait; more are refused.
  ///   - batchSize: the most items in one commit; one caller's items are never split by it.
  ///   - isolates: whether an error may be the fault of one item, so that the others deserve a try without it.
  ///   - commit: commits a batch whole or not at all and answers for each item in order.
  public init(
    capacity: Int, batchSize: Int, isolates: @escaping @Sendable (any Error) -> Bool,
    commit: @escaping @Sendable ([Item]) async throws -> [Outcome]
  ) {
    precondition(capacity >= 1 && batchSize >= 1)
    self.capacity = capacity
    self.batchSize = batchSize
    self.isolates = isolates
    self.commit = commit
  }

  /// Items that wait for their commit to begin.
  public var depth: Int { state.withLock { $0.items } }

  /// Hands in items and waits until they are committed.
  /// - Returns: an outcome for each, in order.
  /// - Throws: ``IntakeError/full`` or ``IntakeError/closed``, with nothing taken; or what the commit of one threw.
  public func submit(_ items: [Item]) async throws -> [Outcome] {
    try await submitEach(items).map { try $0.get() }
  }

  /// Hands in items and waits until each is committed or has failed.
  /// - Returns: an answer for each, in order.
  /// - Throws: ``IntakeError/full`` or ``IntakeError/closed``, with nothing taken.
  public func submitEach(_ items: [Item]) async throws -> [Answer] {
    if items.isEmpty { return [] }
    return try await withCheckedThrowingContinuation { continuation in
      let verdict: Result<CheckedContinuation<Void, Never>?, IntakeError> = state.withLock { state in
        if state.isClosed { return .failure(.closed) }
        if state.items + items.count > capacity { return .failure(.full) }
        state.waiting.append(Group(items: items, continuation: continuation))
        state.items += items.count
        defer { state.wake = nil }
        return .success(state.wake)
      }
      switch verdict {
      case .success(let wake): wake?.resume()
      case .failure(let error): continuation.resume(throwing: error)
      }
    }
  }

  /// Commits until ``close()`` has been called and all that was taken is answered. Run it in one task; cancelling that
  /// closes it too.
  public func run() async {
    await withTaskCancellationHandler {
      while let batch = await nextBatch() {
        await answer(batch)
      }
    } onCancel: {
      close()
    }
  }

  /// Refuses what comes from now on; what was taken is still committed and answered.
  public func close() {
    let wake = state.withLock { state in
      state.isClosed = true
      defer { state.wake = nil }
      return state.wake
    }
    wake?.resume()
  }

  private func nextBatch() async -> [Group]? {
    while true {
      let (batch, isDone): ([Group], Bool) = state.withLock { state in
        var size = 0
        let count = state.waiting.prefix { group in
          defer { size += group.items.count }
          return size == 0 || size + group.items.count <= batchSize
        }.count
        let batch = Array(state.waiting.prefix(count))
        state.waiting.removeFirst(count)
        state.items -= batch.reduce(0) { $0 + $1.items.count }
        return (batch, state.isClosed)
      }
      if !batch.isEmpty { return batch }
      if isDone { return nil }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.isClosed || !state.waiting.isEmpty { return true }
          state.wake = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  private func answer(_ groups: [Group]) async {
    var answers = await answers(to: groups.flatMap(\.items)[...])[...]
    for group in groups {
      group.continuation.resume(returning: Array(answers.prefix(group.items.count)))
      answers = answers.dropFirst(group.items.count)
    }
  }

  /// Commits items; where the fault may lie in one of them, in halves, so that it fails alone.
  private func answers(to items: ArraySlice<Item>) async -> [Answer] {
    do {
      return try await commit(Array(items)).map { .success($0) }
    } catch  where items.count > 1 && isolates(error) {
      let middle = items.startIndex + items.count / 2
      return await answers(to: items[..<middle]) + answers(to: items[middle...])
    } catch {
      return items.map { _ in .failure(error) }
    }
  }
}
