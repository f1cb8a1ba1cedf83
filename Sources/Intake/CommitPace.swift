/// How long commits take, from the last of them: what a wait can be foretold by.
///
/// It counts commits, not items: a commit of one item takes hardly less than one of a thousand, and says nothing about
/// how many items a second there could be.
struct CommitPace {
  /// How long the slowest of the last commits took.
  private var longest = Duration.zero
  private var began: ContinuousClock.Instant?

  /// What is left of a slow commit's weight after each that follows.
  private static let memory = 0.8

  /// A commit begins.
  mutating func begin(at now: ContinuousClock.Instant) { began = now }

  /// The commit that had begun has ended.
  mutating func end(at now: ContinuousClock.Instant) {
    guard let began else { return }
    self.began = nil
    longest = max(now - began, longest * Self.memory)
  }

  /// How long the present commit has taken; zero where there is none.
  func hung(at now: ContinuousClock.Instant) -> Duration { began.map { now - $0 } ?? .zero }

  /// How long the last of so many commits is likely to wait. A commit that hangs is waited for as long as it has hung.
  func wait(behind commits: Int, at now: ContinuousClock.Instant) -> Duration {
    max(hung(at: now), longest * commits)
  }
}
