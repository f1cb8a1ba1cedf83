public import Foundation
public import Logging
public import Storage

/// Publishes every night and whenever single numbers must go out or in, for as long as a server runs.
///
/// Of several servers the one that holds the lease does it; when it dies, the lease runs out and another takes over.
/// The lease spares work only: that no serial is published twice rests on the database's key.
public struct PublicationJob: Sendable {
  private let publisher: Publisher
  private let leases: LeaseStore
  private let schedule: PublicationSchedule?
  private let logger: Logger
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) async throws -> Void

  /// The pause between two looks for something to do.
  static let interval = Duration.seconds(2)

  /// The longest pause, after failures in a row.
  static let longestPause = Duration.seconds(60)

  /// - Parameters:
  ///   - schedule: nil publishes no nights, only revocations.
  ///   - now: the time that nights are told by.
  ///   - sleep: waits, and throws when the task is cancelled.
  public init(
    publisher: Publisher, leases: LeaseStore, schedule: PublicationSchedule?, logger: Logger,
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

  /// Looks for something to do until the task is cancelled. What fails is logged, and tried again later.
  public func run() async {
    var silentUntil = Date.distantPast
    var pause = Self.interval
    while !Task.isCancelled {
      do {
        try await runOnce()
        silentUntil = .distantPast
        pause = Self.interval
      } catch PublishingError.busy {
        // Another process publishes; the next look finds what it has left.
      } catch  where Task.isCancelled {
        return
      } catch {
        // A database that is away for a while is said once a minute.
        if now() >= silentUntil {
          logger.error("The publication job failed; trying again", metadata: ["error": "\(error)"])
          silentUntil = now() + 60
        }
        // A failure before a serial is claimed leaves no row that says when to try again.
        pause = min(pause * 2, Self.longestPause)
      }
      guard (try? await sleep(pause)) != nil else { return }
    }
  }

  /// Does what there is to do now.
  /// - Returns: whether anything was published.
  /// - Throws: what the database said, or ``PublishingError``; for revocations after the night was made all the same.
  @discardableResult
  public func runOnce() async throws -> Bool {
    let time = now()
    let isNight = try await nightIsDue(at: time)
    let hasRevocations = try await revocationsAreDue()
    guard isNight || hasRevocations else { return false }
    guard let lease = try await leases.take(LeaseStore.publishing) else { return false }
    return try await leases.holding(lease) {
      // A night takes what revocations ask for along, so they come first: they are urgent.
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
    }
  }

  /// Failed publications are tried again with a growing backoff: each try takes a serial and a pass over the packs.
  private func revocationsAreDue() async throws -> Bool {
    guard try await publisher.store.hasOpenRevocations() else { return false }
    return PublicationTiming(try await publisher.store.revocationFailures()) == .publish
  }

  private func nightIsDue(at time: Date) async throws -> Bool {
    guard let schedule else { return false }
    let due = schedule.last(atOrBefore: time)
    return PublicationTiming(try await publisher.store.attempts(since: due)) == .publish
  }
}
