// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
public import Logging
import OutboundHTTP
public import Storage

/// Refreshes sources that are due. Of several servers one refreshes a source.
public struct FeedJob: Sendable {
  private static let pause = Duration.seconds(5)
  private static let batch = 16

  private let feeds: FeedStore
  private let refresher: FeedRefresher
  private let logger: Logger

  /// - Parameter feeds: the sources.
  public init(feeds: FeedStore, refresher: FeedRefresher, logger: Logger) {
    self.feeds = feeds
    self.refresher = refresher
    self.logger = logger
  }

  /// Refreshes until the task is cancelled. Of consecutive database failures only the first is logged.
  public func run() async {
    // The only possible error is one of closing idle connections.
    try? await refresher.withClient { await run(by: $0) }
  }

  private func run(by client: OutboundHTTP) async {
    var isFailing = false
    refresher.clean(at: Date())
    while !Task.isCancelled {
      do {
        for feed in try await feeds.due(at: Date(), limit: Self.batch) { try await refresh(feed, by: client) }
        isFailing = false
      } catch  where Task.isCancelled {
        return
      } catch {
        if !isFailing {
          logger.error("Cannot refresh sources; trying again in 5 seconds", metadata: ["error": "\(error)"])
        }
        isFailing = true
      }
      try? await Task.sleep(for: Self.pause)
    }
  }

  private func refresh(_ feed: SourceFeed, by client: OutboundHTTP) async throws {
    switch try await refresher.refresh(feed.name, by: client, at: Date(), onlyIfDue: true) {
    case nil: break
    case .failed(let failure):
      logger.error(
        "Cannot refresh a source; its former entries stay",
        metadata: ["source": "\(feed.name)", "failures": "\(feed.failures + 1)", "error": "\(failure.description)"])
    case .refreshed(let summary):
      logger.info(
        "Refreshed a source",
        metadata: [
          "source": "\(feed.name)", "entries": "\(summary.entries)", "added": "\(summary.added)",
          "removed": "\(summary.removed)", "rejected": "\(summary.rejected)",
        ])
    }
  }
}
