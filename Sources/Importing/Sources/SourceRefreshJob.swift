// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
public import Logging
import OutboundHTTP
public import Storage
import Synchronization

/// Refreshes sources that are due. Of several servers one refreshes a source.
///
/// Publications of other servers are read beside all other sources, and some at once, so that a slow source does not delay
/// their revocations.
public struct SourceRefreshJob: Sendable {
  private static let pause = Duration.seconds(5)
  private static let batch = 16
  /// The most publications of other servers that are read at once.
  private static let mostTogether = 8
  private static let cannotRefresh = "Cannot refresh sources"

  private let sources: SourceStore
  private let refresher: SourceRefresher
  private let logger: Logger

  /// - Parameter sources: the sources.
  public init(sources: SourceStore, refresher: SourceRefresher, logger: Logger) {
    self.sources = sources
    self.refresher = refresher
    self.logger = logger
  }

  /// Refreshes until the task is cancelled. Of consecutive database failures only the first is logged.
  public func run() async {
    // The only possible error is one of closing idle connections.
    try? await refresher.withClient { client in
      refresher.clean(at: Date())
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await repeatedly {
            for source in try await sources.due(at: Date(), limit: Self.batch, areSubscriptions: false) {
              try await refresh(source, by: client)
            }
            try await refresher.withdrawRemoved(at: Date())
          }
        }
        // Beside the downloads, which may take long.
        group.addTask { await repeatedly("Cannot count the precision of sources") { try await evaluate() } }
        group.addTask { await runSubscriptions(by: client) }
      }
    }
  }

  private func runSubscriptions(by client: OutboundHTTP) async {
    let running = Running()
    await withDiscardingTaskGroup { group in
      await repeatedly {
        for source in try await sources.due(at: Date(), limit: 2 * Self.mostTogether, areSubscriptions: true) {
          guard running.start(source.id, atMost: Self.mostTogether) else { continue }
          group.addTask {
            defer { running.end(source.id) }
            do {
              try await refresh(source, by: client)
            } catch  where !Task.isCancelled {
              complain(Self.cannotRefresh, error)
            } catch {}
          }
        }
      }
    }
  }

  /// The sources that are being read.
  private final class Running: Sendable {
    private let ids = Mutex<Set<Int32>>([])

    /// - Returns: false where the source is being read, or as many others are as may be at once.
    func start(_ id: Int32, atMost most: Int) -> Bool {
      ids.withLock { ids in ids.count < most && ids.insert(id).inserted }
    }

    func end(_ id: Int32) { ids.withLock { _ = $0.remove(id) } }
  }

  /// - Parameter problem: the message of a failure.
  private func repeatedly(_ problem: String = cannotRefresh, _ work: () async throws -> Void) async {
    var isFailing = false
    while !Task.isCancelled {
      do {
        try await work()
        isFailing = false
      } catch  where Task.isCancelled {
        return
      } catch {
        if !isFailing { complain(problem, error) }
        isFailing = true
      }
      try? await Task.sleep(for: Self.pause)
    }
  }

  private func complain(_ problem: String, _ error: any Error) {
    logger.error("\(problem); trying again in 5 seconds", metadata: ["error": "\(error)"])
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
        metadata: ["source": "\(source.name)", "failures": "\(source.failures + 1)", "error": "\(failure.description)"])
    case .refreshed(let summary):
      // Publications of other servers are requested every 30 seconds.
      let isNews = !summary.isUnchanged || summary.added + summary.replaced + summary.removed > 0
      logger.log(
        level: isNews ? .info : .debug,
        "Refreshed a source",
        metadata: [
          "source": "\(source.name)", "entries": "\(summary.entries)", "added": "\(summary.added)",
          "removed": "\(summary.removed)", "rejected": "\(summary.rejected)",
          "patterns": "\(summary.patterns)",
        ])
    }
  }
}
