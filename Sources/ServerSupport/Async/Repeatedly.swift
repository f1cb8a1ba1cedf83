// SPDX-License-Identifier: Apache-2.0

package import Logging

/// Runs rounds of a background job, the first one at once, until the task is canceled. A failed round is logged, at most
/// once a minute, and the next round repeats its work.
/// - Parameters:
///   - interval: the pause between two rounds.
///   - longest: after consecutive failures each pause is twice as long as the one before, up to this; nil keeps the
///     interval.
///   - problem: the message of a failure, such as "Cannot read webhook messages".
///   - sleep: waits; throws when the task is canceled.
///   - round: the work of a round.
package func repeatedly(
  every interval: Duration, upTo longest: Duration? = nil, _ problem: String, logger: Logger,
  sleep: (Duration) async throws -> Void = { try await Task.sleep(for: $0) }, _ round: () async throws -> Void
) async {
  var pause = interval
  var silentUntil: ContinuousClock.Instant?
  while !Task.isCancelled {
    do {
      try await round()
      (pause, silentUntil) = (interval, nil)
    } catch  where Task.isCancelled {
      return
    } catch {
      let now = ContinuousClock.now
      if silentUntil.map({ $0 <= now }) ?? true {
        logger.error("\(problem); trying again", metadata: ["error": "\(error)"])
        silentUntil = now + .seconds(60)
      }
      if let longest { pause = min(pause * 2, longest) }
    }
    guard (try? await sleep(pause)) != nil else { return }
  }
}
