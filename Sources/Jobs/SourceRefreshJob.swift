// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Curation
import Foundation
package import Importing
package import Logging
import OutboundHTTP
package import Storage
import Synchronization

/// Refreshes sources that are due. Of several servers one refreshes a source.
///
/// Publications of other servers are read at the same time as all other sources, several at once, so that a slow source
/// does not delay their revocations.
package struct SourceRefreshJob: Sendable {
  private static let batch = 16
  /// The maximum count of publications of other servers that are read at once.
  private static let maxTogether = 8
  private static let cannotRefresh = "Cannot refresh sources"

  private let sources: SourceStore
  private let refresher: SourceRefresher
  private let logger: Logger

  package init(sources: SourceStore, refresher: SourceRefresher, logger: Logger) {
    self.sources = sources
    self.refresher = refresher
    self.logger = logger
  }

  /// Refreshes until the task is canceled.
  package func run() async {
    // The only possible error is one of closing idle connections.
    try? await refresher.withClient { client in
      refresher.clean()
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await repeatedly {
            for source in try await sources.due(at: Date(), limit: Self.batch, areSubscriptions: false) {
              try await refresh(source, by: client)
            }
            try await refresher.withdrawRemoved(at: Date())
          }
        }
        // At the same time as the downloads, which may take long.
        group.addTask { await repeatedly("Cannot count the precision of sources") { try await evaluate() } }
        group.addTask { await runSubscriptions(by: client) }
      }
    }
  }

  private func runSubscriptions(by client: OutboundHTTP) async {
    let running = Running()
    await withDiscardingTaskGroup { group in
      await repeatedly {
        for source in try await sources.due(at: Date(), limit: 2 * Self.maxTogether, areSubscriptions: true) {
          guard running.start(source.id, max: Self.maxTogether) else { continue }
          group.addTask {
            defer { running.end(source.id) }
            do {
              try await refresh(source, by: client)
            } catch  where !Task.isCancelled {
              logger.error("\(Self.cannotRefresh); trying again", metadata: ["error": "\(error)"])
            } catch {}
          }
        }
      }
    }
  }

  /// The sources that are being read.
  private final class Running: Sendable {
    private let ids = Mutex<Set<Int32>>([])

    /// - Returns: false if the source is being read, or the maximum count of other sources is.
    func start(_ id: Int32, max: Int) -> Bool {
      ids.withLock { ids in ids.count < max && ids.insert(id).inserted }
    }

    func end(_ id: Int32) { ids.withLock { _ = $0.remove(id) } }
  }

  private func repeatedly(_ problem: String = cannotRefresh, _ round: () async throws -> Void) async {
    await ServerSupport.repeatedly(every: .seconds(5), problem, logger: logger, round)
  }

  private func evaluate() async throws {
    for name in try await refresher.evaluate(at: Date(), onlyIfDue: true) {
      logger.warning("Suspended a source: moderators allow most of its numbers", metadata: ["source": "\(name)"])
    }
  }

  private func refresh(_ source: Source, by client: OutboundHTTP) async throws {
    switch try await refresher.refresh(source.name, by: client, at: Date(), onlyIfDue: true) {
    case nil: break
    case .failed(let failure):
      logger.error(
        "Cannot refresh a source; its former entries stay",
        metadata: [
          "source": "\(source.name)", "failures": .stringConvertible(source.failures + 1),
          "error": "\(failure.description)",
        ])
    case .refreshed(let summary):
      // Publications of other servers are requested every 30 seconds.
      let isNews = !summary.isUnchanged || summary.added + summary.replaced + summary.removed > 0
      logger.log(
        level: isNews ? .info : .debug,
        "Refreshed a source",
        metadata: [
          "source": "\(source.name)", "entries": .stringConvertible(summary.entries),
          "added": .stringConvertible(summary.added),
          "removed": .stringConvertible(summary.removed), "rejected": .stringConvertible(summary.rejected.count),
          "ranges": .stringConvertible(summary.ranges), "proposed_ranges": .stringConvertible(summary.proposedRanges),
        ])
    }
  }
}
