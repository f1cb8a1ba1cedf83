// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation
package import Logging
package import Storage

/// Updates the start page's figures, and deletes contacts of appeals after their retention period.
///
/// Several servers may run it at once: each skips the work that another has done.
package struct StatisticsJob: Sendable {
  private let figures: StatisticsStore
  private let appeals: AppealStore
  private let logger: Logger

  package init(figures: StatisticsStore, appeals: AppealStore, logger: Logger) {
    (self.figures, self.appeals, self.logger) = (figures, appeals, logger)
  }

  /// Runs rounds until the task is canceled.
  package func run() async {
    var round = 0
    await repeatedly(every: .seconds(30), "Cannot count statistics", logger: logger) {
      // Present states are counted with full scans, and so less often.
      try await figures.refresh(at: Date(), isWhole: round.isMultiple(of: 10))
      try await appeals.purge(at: Date())
      round += 1
    }
  }
}
