import Curation
import Storage
import Synchronization

/// How many cases wait, asked at most every five seconds: each page shows it.
final class WaitingCount: Sendable {
  private struct State {
    var counts: [Int] = []
    var next: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let read: @Sendable () async throws -> [Int]

  /// - Parameter read: how many wait for somebody of each level; see `QueueCensus.byLevel`.
  init(read: @escaping @Sendable () async throws -> [Int]) {
    self.read = read
  }

  /// What waits, at most five seconds old; the last known while the database does not answer.
  func waiting(for role: Role) async -> WaitingCases {
    let counts = await counts()
    let level = Int(QueueWorker(account: "", role: role).level)
    return WaitingCases(own: counts.indices.contains(level) ? counts[level] : 0, all: counts.last ?? 0)
  }

  private func counts() async -> [Int] {
    let now = ContinuousClock.now
    // Whoever comes while it is being asked takes the old ones.
    let old: [Int]? = state.withLock { state in
      if let next = state.next, now < next { return state.counts }
      state.next = now + .seconds(5)
      return nil
    }
    if let old { return old }
    if let new = try? await read() {
      state.withLock { $0.counts = new }
      return new
    }
    return state.withLock { $0.counts }
  }
}

/// How many cases wait.
struct WaitingCases {
  /// What the reader's role may settle.
  var own = 0
  /// All of them.
  var all = 0
}
