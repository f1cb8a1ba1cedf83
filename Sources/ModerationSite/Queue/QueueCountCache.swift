// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Curation
import Foundation
import Storage

extension WaitingCaseCounts {
  /// - Parameter byLevel: see `QueueTotals.byLevel`.
  init(_ byLevel: [Int], level: Int16) {
    self.init(own: byLevel.indices.contains(Int(level)) ? byLevel[Int(level)] : 0, all: byLevel.last ?? 0)
  }
}

extension QueueTotals {
  /// The heading of the queue: the cases that match a filter and, where it leaves out some, the cases of the badge in the
  /// navigation.
  func left(_ filter: QueueFilter, of worker: Actor, _ texts: Localizer) -> String {
    let shown = count(filter, level: worker.level, account: worker.name)
    let all = count(level: worker.level)
    return shown == all
      ? texts.count("queue.left", shown) : texts.count("queue.left-of", all, ["shown": texts.number(shown)])
  }
}

/// Caches the counts of waiting cases by every filter. The query reads all queue rows, so it runs at most every five
/// seconds, and usually while no page waits for it.
actor QueueCountCache {
  private let ask: @Sendable (Date) async throws -> QueueTotals
  private var known: (queueCounts: QueueTotals, at: ContinuousClock.Instant)?
  /// The last counts by level, for the navigation while the database does not answer.
  private var byLevel: [Int] = []
  /// The running query; all pages that wait share its result.
  private var asking: Task<QueueTotals, any Error>?
  /// Cases settled while the query runs; its result may still include them.
  private var settled: [QueueCase] = []
  /// Increases when the result of an earlier query must be discarded.
  private var generation = 0

  private static let fresh = Duration.seconds(5)
  private static let oldest = Duration.seconds(15)

  /// - Parameter ask: queries the database; see `QueueStore.queueCounts`.
  init(ask: @escaping @Sendable (Date) async throws -> QueueTotals) {
    self.ask = ask
  }

  /// Usually at most 5 and never more than 15 seconds old.
  func current() async throws -> QueueTotals {
    guard let known, ContinuousClock.now - known.at < Self.oldest else { return try await begin().value }
    // Refreshes in the background. After a failure the next page tries again.
    if ContinuousClock.now - known.at >= Self.fresh { _ = begin() }
    return known.queueCounts
  }

  /// The counts of cases waiting for a role, for the navigation. The last counts while the database does not answer.
  func waiting(for role: Role) async -> WaitingCaseCounts {
    _ = try? await current()
    return WaitingCaseCounts(byLevel, level: Actor(name: "", role: role).level)
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

  /// Removes a settled case from the counts, so that the moderator sees the effect at once.
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

  func forget() {
    generation += 1
    (known, asking) = (nil, nil)
  }
}
