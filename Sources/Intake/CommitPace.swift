/// How fast items are committed, from the last commits: what a wait can be foretold by.
struct CommitPace {
  /// Items a second; nil before the first commit has ended.
  private var rate: Double?
  private var began: ContinuousClock.Instant?

  /// How much a commit weighs against those before it.
  private static let weight = 0.2

  /// A commit begins.
  mutating func begin(at now: ContinuousClock.Instant) { began = now }

  /// The commit that had begun has ended.
  mutating func end(items: Int, at now: ContinuousClock.Instant) {
    guard let began else { return }
    self.began = nil
    let latest = Double(items) / max((now - began) / .seconds(1), 1e-6)
    rate = rate.map { $0 + Self.weight * (latest - $0) } ?? latest
  }

  /// How long the last of so many items is likely to wait. A commit that hangs is waited for as long as it has hung.
  func wait(behind depth: Int, at now: ContinuousClock.Instant) -> Duration {
    let hung = began.map { now - $0 } ?? .zero
    guard let rate, rate > 0 else { return hung }
    return max(hung, .seconds(Double(depth) / rate))
  }
}
