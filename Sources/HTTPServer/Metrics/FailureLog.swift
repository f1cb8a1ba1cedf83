// SPDX-License-Identifier: Apache-2.0

package import Logging
import Synchronization

/// Logs internal failures, at most one line per second with the count of omitted ones. If the database is unreachable,
/// every request fails, and unlimited logging could fill the disk.
package final class FailureLog: Sendable {
  private struct State {
    var last: ContinuousClock.Instant?
    var omitted = 0
  }

  private let state = Mutex(State())
  private static let interval = Duration.seconds(1)

  package init() {}

  /// Logs an error unless another was logged within the last second.
  package func note(
    _ message: Logger.Message, metadata: Logger.Metadata, to logger: Logger, at now: ContinuousClock.Instant = .now
  ) {
    let omitted: Int? = state.withLock { state in
      if let last = state.last, now - last < Self.interval {
        state.omitted += 1
        return nil
      }
      defer { state = State(last: now) }
      return state.omitted
    }
    guard let omitted else { return }
    var metadata = metadata
    if omitted > 0 { metadata["omitted"] = .stringConvertible(omitted) }
    logger.error(message, metadata: metadata)
  }
}
