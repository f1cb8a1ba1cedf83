import Foundation
import Storage

/// How many cases wait, by everything that can be filtered: asked of the database every two seconds at most, however many
/// pages show it.
actor Census {
  private let queue: QueueStore
  private var known: (census: QueueCensus, until: ContinuousClock.Instant)?

  private static let lifetime = Duration.seconds(2)

  init(queue: QueueStore) {
    self.queue = queue
  }

  /// At most two seconds old.
  func current() async throws -> QueueCensus {
    if let known, ContinuousClock.now < known.until { return known.census }
    let census = try await queue.census(at: Date())
    known = (census, ContinuousClock.now + Self.lifetime)
    return census
  }

  /// Forgets what is known: whoever has just ruled wants to see one less.
  func forget() { known = nil }
}
