// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Logging
public import Storage

/// Updates the start page's figures, and deletes contacts of appeals after their retention period.
///
/// Several servers may run it at once: each skips the work that another has done.
public struct StatisticsJob: Sendable {
  private let figures: StatisticsStore
  private let appeals: AppealStore
  private let interval: Duration
  private let logger: Logger

  /// - Parameter interval: the pause between two rounds.
  public init(figures: StatisticsStore, appeals: AppealStore, interval: Duration = .seconds(30), logger: Logger) {
    self.figures = figures
    self.appeals = appeals
    self.interval = interval
    self.logger = logger
  }

  /// Runs a round at once and then one in each interval, until the task is cancelled. A failed round is logged, and the
  /// next one repeats its work.
  public func run() async {
    var round = 0
    while !Task.isCancelled {
      do {
        // Present states are counted with full scans, and so less often.
        try await figures.refresh(at: Date(), isWhole: round.isMultiple(of: 10))
        try await appeals.purge(at: Date())
        round += 1
      } catch  where Task.isCancelled {
        return
      } catch {
        logger.error("Cannot count statistics; trying again in the next round", metadata: ["error": "\(error)"])
      }
      guard (try? await Task.sleep(for: interval)) != nil else { return }
    }
  }
}
