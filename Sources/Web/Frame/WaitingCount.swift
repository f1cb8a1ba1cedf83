import Synchronization

/// How many cases wait, asked at most every five seconds: each page shows it.
final class WaitingCount: Sendable {
  private struct State {
    var count = 0
    var next: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let read: @Sendable () async throws -> Int

  init(read: @escaping @Sendable () async throws -> Int) {
    self.read = read
  }

  /// The count, at most five seconds old; the last known one while the database does not answer.
  func count() async -> Int {
    let now = ContinuousClock.now
    // Whoever comes while it is being asked takes the old one.
    let old: Int? = state.withLock { state in
      if let next = state.next, now < next { return state.count }
      state.next = now + .seconds(5)
      return nil
    }
    if let old { return old }
    if let new = try? await read() {
      state.withLock { $0.count = new }
      return new
    }
    return state.withLock { $0.count }
  }
}
