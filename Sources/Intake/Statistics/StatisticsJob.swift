import Foundation
public import Logging
public import Storage

/// Keeps the front page's figures up to date, and forgets how people who appealed may be reached when the time has come.
///
/// Several servers may do so at once: each finds done what another has done.
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

  /// Does a round at once and then one an interval, until the task is cancelled. A round that fails is logged, and the
  /// next one makes up for it.
  public func run() async {
    var round = 0
    while !Task.isCancelled {
      do {
        // Current totals are counted over whole tables, and so less often.
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
