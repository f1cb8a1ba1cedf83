// SPDX-License-Identifier: Apache-2.0

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

  /// Records the start of a commit.
  mutating func begin(at now: ContinuousClock.Instant) { began = now }

  /// Records the end of the commit.
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
