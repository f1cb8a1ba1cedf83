// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation
package import Intake
package import Logging
package import Moderation
package import Publishing
package import Storage
import Synchronization

/// Keeps the review queue up to date: every second it evaluates numbers with new reports and stale cases, after a
/// publication all cases, and every hour it judges the holds and sweeps all numbers to correct omissions. Decisions and
/// protections that have expired end.
///
/// Several servers may run the rounds at once. Only one of them sweeps at a time.
package struct QueueJob: Sendable {
  private let stores: Stores
  private let decisions: DecisionService
  private let holding: BrigadeReview
  private let protection: ProtectionCache
  private let touched: PendingNumberQueue
  private let logger: Logger

  private static let lease = "queue-sweep"
  private static let problem = "Cannot update the review queue"
  /// The maximum count of numbers that one round evaluates: about 5 % of a core.
  private static let maxNumbers = 500

  /// - Parameter touched: the numbers that this server's intake has stored reports about.
  package init(
    stores: Stores, decisions: DecisionService, holding: BrigadeReview, protection: ProtectionCache,
    touched: PendingNumberQueue, logger: Logger
  ) {
    (self.stores, self.decisions, self.holding) = (stores, decisions, holding)
    (self.protection, self.touched, self.logger) = (protection, touched, logger)
  }

  /// Runs rounds and sweeps until the task is canceled.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await repeatedly(every: .seconds(1)) { try await evaluateOnce(at: Date()) } }
      group.addTask { await repeatedly(every: .seconds(5)) { _ = try await decisions.expire(at: Date()) } }
      group.addTask { await repeatedly(every: .seconds(30)) { _ = try await stores.protection.expire(at: Date()) } }
      group.addTask { await followPublications() }
      group.addTask { await repeatedly(every: .seconds(3_600)) { try await sweep(at: Date()) } }
    }
  }

  private func repeatedly(every interval: Duration, _ round: () async throws -> Void) async {
    await ServerSupport.repeatedly(every: interval, Self.problem, logger: logger, round)
  }

  private func evaluateOnce(at time: Date) async throws {
    let numbers = touched.take(Self.maxNumbers)
    do {
      let marked = try await stores.queue.stale(limit: Self.maxNumbers)
      guard !numbers.isEmpty || !marked.isEmpty else { return }
      _ = try await stores.queue.evaluate(
        numbers + marked, by: try await stores.thresholds.current(), protected: protection.numbers, at: time)
    } catch {
      // The next round evaluates them.
      touched.insert(numbers)
      throw error
    }
  }

  /// Evaluates all cases after each publication, since its numbers need no review. The sweep at the start covers
  /// earlier publications.
  private func followPublications() async {
    var seen: Int64?
    await repeatedly(every: .seconds(15)) {
      let newest = try await stores.publications.latest()?.serial ?? 0
      if let seen, seen != newest {
        _ = try await stores.leases.withLease(of: Self.lease) { try await stores.queue.reevaluate(at: Date()) }
      }
      seen = newest
    }
  }

  private func sweep(at time: Date) async throws {
    let pace = SweepPace { touched.isReceiving }
    let change = try await stores.leases.withLease(of: Self.lease) {
      try await holding.review(at: time, rest: pace.rest)
      return try await stores.queue.sweep(at: time, rest: pace.rest)
    }
    guard let change, change.written + change.removed > 0 else { return }
    logger.info(
      "Updated the review queue",
      metadata: [
        "evaluated": .stringConvertible(change.judged), "written": .stringConvertible(change.written),
        "removed": .stringConvertible(change.removed),
      ])
  }
}

/// Rests between the parts of a long job while others are busy, so that the intake keeps its rate.
final class SweepPace: Sendable {
  /// The duration of a rest in durations of the part before it.
  private static let share = 4
  private static let longest = Duration.seconds(5)

  private let isBusy: @Sendable () -> Bool
  private let start = Mutex(ContinuousClock.now)

  init(isBusy: @escaping @Sendable () -> Bool) { self.isBusy = isBusy }

  /// Returns at once while nothing else is busy.
  @Sendable func rest() async throws {
    let pause = Self.pause(after: ContinuousClock.now - start.withLock(\.self), isBusy: isBusy())
    if pause > .zero { try await Task.sleep(for: pause) }
    start.withLock { $0 = .now }
  }

  static func pause(after worked: Duration, isBusy: Bool) -> Duration {
    isBusy ? min(worked * share, longest) : .zero
  }
}
