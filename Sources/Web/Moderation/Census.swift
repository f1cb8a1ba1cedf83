import Foundation
import Storage

/// How many cases wait, by everything that can be filtered: asked of the database every two seconds at most, however many
/// pages show it, and seldom while a page waits for it.
actor Census {
  private let queue: QueueStore
  private var known: (census: QueueCensus, at: ContinuousClock.Instant)?
  private var isAsking = false
  /// Rises when something is known better than the database said; what was asked before then is not kept.
  private var generation = 0

  private static let fresh = Duration.seconds(2)
  private static let oldest = Duration.seconds(10)

  init(queue: QueueStore) {
    self.queue = queue
  }

  /// About two seconds old; at most ten.
  func current() async throws -> QueueCensus {
    guard let known, ContinuousClock.now - known.at < Self.oldest else { return try await ask() }
    if ContinuousClock.now - known.at >= Self.fresh, !isAsking {
      isAsking = true
      // Nobody waits for it: where it fails, the next page asks again.
      Task { _ = try? await ask() }
    }
    return known.census
  }

  private func ask() async throws -> QueueCensus {
    let begun = generation
    defer { isAsking = false }
    let census = try await queue.census(at: Date())
    if generation == begun { known = (census, ContinuousClock.now) }
    return census
  }

  /// A case was settled: whoever has just ruled wants to see one less.
  func remove(_ item: QueueCase) {
    generation += 1
    known?.census.remove(item, at: Date())
  }

  /// Forgets what is known.
  func forget() {
    generation += 1
    known = nil
  }
}
