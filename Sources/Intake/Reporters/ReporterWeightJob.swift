// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
public import Storage

/// Recounts reporters' weights every hour, and searches for ranges of numbers that are used together.
///
/// Several servers may run it at once: each skips the work that another has done.
public struct ReporterWeightJob: Sendable {
  private let reporters: ReporterStore
  private let protection: ProtectionStore
  private let ranges: RangeStore
  private let interval: Duration
  private let logger: Logger

  /// - Parameter interval: the pause between two rounds.
  public init(
    reporters: ReporterStore, protection: ProtectionStore, ranges: RangeStore, interval: Duration = .seconds(3_600),
    logger: Logger
  ) {
    self.reporters = reporters
    self.protection = protection
    self.ranges = ranges
    self.interval = interval
    self.logger = logger
  }

  /// Runs a round at once and then one in each interval, until the task is cancelled. A failed round is logged, and the
  /// next one repeats its work.
  public func run() async {
    while !Task.isCancelled {
      do {
        try await runOnce(at: Date())
      } catch  where Task.isCancelled {
        return
      } catch {
        logger.error(
          "Cannot calculate the weights of reporters; trying again in the next round", metadata: ["error": "\(error)"])
      }
      guard (try? await Task.sleep(for: interval)) != nil else { return }
    }
  }

  /// One round.
  /// - Throws: the database's error.
  public func runOnce(at time: Date) async throws {
    let start = ContinuousClock.now
    let summary = try await reporters.recount(protected: try await protection.load(), at: time)
    let proposed = try await ranges.detect(at: time)
    guard summary.reporters + summary.numbers + proposed.count > 0 else { return }
    logger.info(
      "Calculated the weights of reporters",
      metadata: [
        "reporters": "\(summary.reporters)", "numbers": "\(summary.numbers)", "ranges": "\(proposed.count)",
        "duration_ms": "\(Int((ContinuousClock.now - start) / .milliseconds(1)))",
      ])
  }
}
