// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Curation
package import Foundation
package import Logging
import Publishing
package import Storage

/// Looks for what nobody asks for: once an hour for cases that wait too long, keys that are about to expire, and files of records
/// that cannot be written, and each minute for nodes of a cluster that do not answer. Each is an event once a day, even if several servers check.
package struct WarningJob: Sendable {
  private let stores: Stores
  private let caseTarget: TimeInterval
  private let rootExpiry: @Sendable () throws -> Date?
  private let records: RecordFiles
  private let logger: Logger

  /// How long before its end an expiring root is told, in seconds: 30 days.
  package static let notice: TimeInterval = 30 * 86_400

  /// - Parameters:
  /// - caseTarget: seconds after which a case should be decided.
  /// - rootExpiry: the end of the newest root of the signing keys; nil where there is none yet.
  package init(
    stores: Stores, caseTarget: TimeInterval, rootExpiry: @escaping @Sendable () throws -> Date?,
    records: RecordFiles = RecordFiles(journal: nil, output: nil), logger: Logger
  ) {
    self.records = records
    (self.stores, self.caseTarget, self.rootExpiry, self.logger) = (stores, caseTarget, rootExpiry, logger)
  }

  /// Looks until the task is canceled.
  package func run() async {
    async let nodes: Void = repeatedly(
      every: .seconds(60), "Cannot check the nodes of the database", logger: logger
    ) { try await lookForNodes(at: Date()) }
    await repeatedly(every: .seconds(3_600), "Cannot look for overdue cases and keys", logger: logger) {
      try await look(at: Date())
    }
    await nodes
  }

  /// Records which nodes of a cluster do not answer. The coordinator keeps events, so its own absence is only logged.
  func lookForNodes(at now: Date) async throws {
    let nodes = await stores.health.nodes()
    guard nodes.count > 1 else { return }
    for node in nodes {
      do {
        try await node.check()
      } catch {
        logger.error("A node of the database does not answer", metadata: ["node": "\(node.name)", "error": "\(error)"])
        let id = UUID(naming: "node away \(node.name) \(Int(now.timeIntervalSince1970 / 86_400))")
        try await stores.outbox.record(Event(.nodeAway, id: id, at: now, ["node": .text(node.name)]), at: now)
      }
    }
  }

  /// Records what is wrong at a time. Safe to repeat.
  package func look(at now: Date) async throws {
    let day = Int(now.timeIntervalSince1970 / 86_400)
    if let oldest = try await stores.operations.figures().reviewQueue.oldest {
      let waits = now.timeIntervalSince(oldest)
      if waits > caseTarget {
        let details: [String: Event.Detail] = [
          "oldest_hours": .count(Int(waits / 3_600)), "target_hours": .count(Int(caseTarget / 3_600)),
        ]
        let id = UUID(naming: "case overdue \(day)")
        try await stores.outbox.record(Event(.caseOverdue, id: id, at: now, details), at: now)
      }
    }
    if let expiry = try rootExpiry(), expiry.timeIntervalSince(now) < Self.notice {
      let details: [String: Event.Detail] = ["expires": .text(expiry.formatted(.iso8601))]
      let id = UUID(naming: "key expiring \(day)")
      try await stores.outbox.record(Event(.keyExpiring, id: id, at: now, details), at: now)
    }
    for kind in RecordFiles.Kind.allCases {
      guard let failure = records.failure(of: kind) else { continue }
      let details: [String: Event.Detail] = ["record": .text(kind.rawValue), "reason": .text(failure.reason)]
      let id = UUID(naming: "record unwritable \(kind.rawValue) \(day)")
      try await stores.outbox.record(Event(.recordUnwritable, id: id, at: now, details), at: now)
    }
  }
}
