// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
public import Storage

/// Keeps the review queue up to date: every second it evaluates numbers with new reports and stale cases, after a
/// publication all cases, and every hour it sweeps all numbers to correct omissions. Decisions that have expired end.
///
/// Several servers may run the rounds at once. Only one of them sweeps at a time.
public struct QueueJob: Sendable {
  private let queue: QueueStore
  private let decisions: DecisionStore
  private let thresholds: ThresholdStore
  private let protection: ProtectionCache
  private let touched: PendingNumberQueue
  private let publications: PublicationStore
  private let leases: LeaseStore
  private let logger: Logger

  private static let lease = "queue-sweep"
  /// The most numbers that one round evaluates: about 5 % of a core.
  public static let mostInARound = 500
  /// The pause between two rounds.
  public static let interval = Duration.seconds(1)
  /// The pause between two checks for expired decisions.
  public static let expiryInterval = Duration.seconds(5)
  /// The pause between two checks for a new publication.
  public static let publicationInterval = Duration.seconds(15)
  /// The pause between two sweeps.
  public static let sweepInterval = Duration.seconds(3_600)

  /// - Parameter touched: the numbers that this server's intake has stored reports about.
  public init(
    queue: QueueStore, decisions: DecisionStore, thresholds: ThresholdStore, protection: ProtectionCache,
    touched: PendingNumberQueue, publications: PublicationStore, leases: LeaseStore, logger: Logger
  ) {
    self.queue = queue
    self.decisions = decisions
    self.thresholds = thresholds
    self.protection = protection
    self.touched = touched
    self.publications = publications
    self.leases = leases
    self.logger = logger
  }

  /// Runs rounds and sweeps until the task is cancelled. A failed round is logged, and the next one repeats its work.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await repeatedly(every: Self.interval) { _ = try await feedOnce(at: Date()) } }
      group.addTask { await repeatedly(every: Self.expiryInterval) { _ = try await decisions.expire(at: Date()) } }
      group.addTask { await followPublications() }
      group.addTask { await repeatedly(every: Self.sweepInterval) { try await sweepOnce(at: Date()) } }
    }
  }

  /// One round.
  /// - Throws: the database's error; the numbers are then evaluated in the next round.
  public func feedOnce(at time: Date) async throws -> QueueChange {
    let numbers = touched.take(Self.mostInARound)
    do {
      let marked = try await queue.stale(limit: Self.mostInARound)
      guard !numbers.isEmpty || !marked.isEmpty else { return QueueChange() }
      return try await queue.evaluate(
        numbers + marked, by: try await thresholds.current(), protected: protection.numbers, at: time)
    } catch {
      touched.insert(numbers)
      throw error
    }
  }

  /// Evaluates all cases after each publication, since its numbers need no review. The sweep at the start covers
  /// earlier publications.
  private func followPublications() async {
    var seen: Int64?
    while !Task.isCancelled {
      do {
        let newest = try await publications.latest()?.serial ?? 0
        if let seen, seen != newest, let lease = try await leases.take(Self.lease) {
          _ = try await leases.holding(lease) { try await queue.reevaluate(at: Date()) }
        }
        seen = newest
      } catch  where Task.isCancelled {
        return
      } catch {
        complain(error)
      }
      guard (try? await Task.sleep(for: Self.publicationInterval)) != nil else { return }
    }
  }

  private func sweepOnce(at time: Date) async throws {
    guard let lease = try await leases.take(Self.lease) else { return }
    let change = try await leases.holding(lease) { try await queue.sweep(at: time) }
    guard change.written + change.removed > 0 else { return }
    logger.info(
      "Updated the review queue",
      metadata: ["evaluated": "\(change.judged)", "written": "\(change.written)", "removed": "\(change.removed)"])
  }

  private func repeatedly(every interval: Duration, _ work: @Sendable () async throws -> Void) async {
    while !Task.isCancelled {
      do {
        try await work()
      } catch  where Task.isCancelled {
        return
      } catch {
        complain(error)
      }
      guard (try? await Task.sleep(for: interval)) != nil else { return }
    }
  }

  private func complain(_ error: any Error) {
    logger.error(
      "Cannot update the review queue; trying again in the next round", metadata: ["error": "\(error)"])
  }
}
