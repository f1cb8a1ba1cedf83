// SPDX-License-Identifier: Apache-2.0

import ServerSupport
package import Foundation
package import Logging
package import Publishing
package import Storage

/// Publishes on schedule and when there are open revocations, as long as a server runs.
///
/// Of several servers the holder of the lease publishes; if it dies, the lease expires and another takes over. The
/// lease only saves work: the database's primary key prevents two publications with the same serial.
package struct PublicationScheduler: Sendable {
  private let publisher: Publisher
  private let leases: LeaseStore
  private let schedule: CurrentSchedule
  private let logger: Logger
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  /// - schedule: without a time, publishes only revocations.
  /// - sleep: waits; throws if the task is canceled.
  package init(
    publisher: Publisher, leases: LeaseStore, schedule: CurrentSchedule, logger: Logger,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.publisher = publisher
    self.leases = leases
    self.schedule = schedule
    self.logger = logger
    self.now = now
    self.sleep = sleep
  }

  /// Publishes what is due until the task is canceled.
  package func run() async {
    // A failure before the claim of a serial leaves no record that would delay the next attempt.
    await repeatedly(
      every: .seconds(2), upTo: .seconds(60), "The publication job failed", logger: logger, sleep: sleep
    ) {
      do {
        try await runOnce()
      } catch PublishingError.busy {
        // Another process is publishing; the next check finds what is left to do.
      }
    }
  }

  /// Publishes what is due now.
  /// - Returns: whether anything was published.
  /// - Throws: database errors, or ``PublishingError``; an error of the revocations only after the scheduled
  ///   publication.
  @discardableResult
  package func runOnce() async throws -> Bool {
    let time = now()
    let isNight = try await schedule.isDue(at: time, publisher.store)
    let hasRevocations = try await revocationsAreDue()
    guard isNight || hasRevocations else { return false }
    return try await leases.withLease(of: LeaseStore.publishing) {
      // Revocations come first, because they are urgent and a full publication takes minutes.
      var hasPublished = false
      var failure: (any Error)?
      if hasRevocations {
        do {
          hasPublished = try await publisher.publishRevocations(at: time) != nil
        } catch {
          if Task.isCancelled { throw error }
          failure = error
        }
      }
      if isNight {
        _ = try await publisher.publish(PublicationRequest(time: time, cause: .schedule))
        hasPublished = true
      }
      if let failure { throw failure }
      return hasPublished
    } ?? false
  }

  /// Failed attempts are repeated at growing intervals, because each takes a serial and reads the packs.
  private func revocationsAreDue() async throws -> Bool {
    guard try await publisher.store.hasOpenRevocations() else { return false }
    return PublicationTiming(try await publisher.store.revocationFailures()) == .publish
  }
}
