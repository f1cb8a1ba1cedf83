import Foundation
import Storage

/// How many cases wait, by everything that can be filtered: asked of the database every two seconds at most, however many
/// pages show it, and seldom while a page waits for it.
actor Census {
  private let queue: QueueStore
  private var known: (census: QueueCensus, at: ContinuousClock.Instant)?
  /// What is being asked; whoever must wait waits for the same answer.
  private var asking: Task<QueueCensus, any Error>?
  /// What was settled while it was asked: the answer may have it still.
  private var settled: [QueueCase] = []
  /// Rises when an answer that was asked for before is not to be kept.
  private var generation = 0

  private static let fresh = Duration.seconds(2)
  private static let oldest = Duration.seconds(10)

  init(queue: QueueStore) {
    self.queue = queue
  }

  /// About two seconds old; at most ten.
  func current() async throws -> QueueCensus {
    guard let known, ContinuousClock.now - known.at < Self.oldest else { return try await ask() }
    // Nobody waits for it: where it fails, the next page asks again.
    if ContinuousClock.now - known.at >= Self.fresh { _ = begin() }
    return known.census
  }

  private func ask() async throws -> QueueCensus { try await begin().value }

  private func begin() -> Task<QueueCensus, any Error> {
    if let asking { return asking }
    settled = []
    let task = Task { [generation] in
      do {
        return end(try await queue.census(at: Date()), begun: generation)
      } catch {
        if generation == self.generation { asking = nil }
        throw error
      }
    }
    asking = task
    return task
  }

  private func end(_ answer: QueueCensus, begun: Int) -> QueueCensus {
    guard generation == begun else { return answer }
    var census = answer
    for item in settled { census.remove(item, at: Date()) }
    (known, asking) = ((census, ContinuousClock.now), nil)
    return census
  }

  /// A case was settled: whoever has just ruled wants to see one less.
  func remove(_ item: QueueCase) {
    if asking != nil { settled.append(item) }
    known?.census.remove(item, at: Date())
  }

  /// Forgets what is known.
  func forget() {
    generation += 1
    (known, asking) = (nil, nil)
  }
}
