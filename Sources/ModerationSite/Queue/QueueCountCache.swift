import HTTPServer
import Curation
import Foundation
import Storage

/// How many cases wait, by everything that can be filtered: asked of the database every five seconds at most, however
/// many pages show it, and seldom while a page waits for it: the question goes through the whole queue.
actor QueueCountCache {
  private let ask: @Sendable (Date) async throws -> QueueTotals
  private var known: (queueCounts: QueueTotals, at: ContinuousClock.Instant)?
  /// What was known last, for the navigation while the database does not answer: by level.
  private var byLevel: [Int] = []
  /// What is being asked; whoever must wait waits for the same answer.
  private var asking: Task<QueueTotals, any Error>?
  /// What was settled while it was asked: the answer may have it still.
  private var settled: [QueueCase] = []
  /// Rises when an answer that was asked for before is not to be kept.
  private var generation = 0

  private static let fresh = Duration.seconds(5)
  private static let oldest = Duration.seconds(15)

  /// - Parameter ask: of the database; see `QueueStore.queueCounts`.
  init(ask: @escaping @Sendable (Date) async throws -> QueueTotals) {
    self.ask = ask
  }

  /// About five seconds old; at most fifteen.
  func current() async throws -> QueueTotals {
    guard let known, ContinuousClock.now - known.at < Self.oldest else { return try await begin().value }
    // Nobody waits for it: where it fails, the next page asks again.
    if ContinuousClock.now - known.at >= Self.fresh { _ = begin() }
    return known.queueCounts
  }

  /// How many wait for somebody of a role: what the navigation of each page says. The last known while the database does
  /// not answer.
  func waiting(for role: Role) async -> WaitingCases {
    _ = try? await current()
    let level = Int(QueueWorker(account: "", role: role).level)
    return WaitingCases(own: byLevel.indices.contains(level) ? byLevel[level] : 0, all: byLevel.last ?? 0)
  }

  private func begin() -> Task<QueueTotals, any Error> {
    if let asking { return asking }
    settled = []
    let task = Task { [generation] in
      do {
        return end(try await ask(Date()), begun: generation)
      } catch {
        if generation == self.generation { asking = nil }
        throw error
      }
    }
    asking = task
    return task
  }

  private func end(_ answer: QueueTotals, begun: Int) -> QueueTotals {
    guard generation == begun else { return answer }
    var queueCounts = answer
    for item in settled { queueCounts.remove(item, at: Date()) }
    asking = nil
    keep(queueCounts, from: ContinuousClock.now)
    return queueCounts
  }

  /// A case was settled: whoever has just decided wants to see one less.
  func remove(_ item: QueueCase) {
    if asking != nil { settled.append(item) }
    guard let (old, time) = known else { return }
    var queueCounts = old
    queueCounts.remove(item, at: Date())
    keep(queueCounts, from: time)
  }

  private func keep(_ queueCounts: QueueTotals, from time: ContinuousClock.Instant) {
    known = (queueCounts, time)
    byLevel = queueCounts.byLevel
  }

  /// Forgets what is known.
  func forget() {
    generation += 1
    (known, asking) = (nil, nil)
  }
}
