// SPDX-License-Identifier: Apache-2.0

import ServerSupport
package import Foundation
package import Logging
package import Storage

/// Recounts reporters' weights every hour, and searches for ranges of numbers that are used together.
///
/// Several servers may run it at once: each skips the work that another has done.
package struct ReporterWeightJob: Sendable {
  private let reporters: ReporterStore
  private let protection: ProtectionStore
  private let ranges: RangeStore
  private let logger: Logger

  package init(reporters: ReporterStore, protection: ProtectionStore, ranges: RangeStore, logger: Logger) {
    self.reporters = reporters
    self.protection = protection
    self.ranges = ranges
    self.logger = logger
  }

  /// Runs rounds until the task is canceled.
  package func run() async {
    await repeatedly(every: .seconds(3_600), "Cannot calculate the weights of reporters", logger: logger) {
      try await runOnce(at: Date())
    }
  }

  /// - Throws: the database's error.
  package func runOnce(at time: Date) async throws {
    let start = ContinuousClock.now
    let summary = try await reporters.recount(protected: try await protection.load(), at: time)
    let proposed = try await ranges.detect(at: time)
    guard summary.reporters + summary.numbers + proposed.count > 0 else { return }
    logger.info(
      "Calculated the weights of reporters",
      metadata: [
        "reporters": .stringConvertible(summary.reporters), "numbers": .stringConvertible(summary.numbers),
        "ranges": .stringConvertible(proposed.count),
        "duration_ms": .stringConvertible(Int((ContinuousClock.now - start) / .milliseconds(1))),
      ])
  }
}
