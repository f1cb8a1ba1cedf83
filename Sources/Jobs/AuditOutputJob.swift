// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation
package import Logging
package import Storage

/// Writes the events of the audit log to a file or to syslog, each at least once and in order: an event leaves the outbox
/// after its delivery.
///
/// Of several servers the holder of the lease writes.
package struct AuditOutputJob: Sendable {
  private static let batch = 500

  private let output: AuditOutput
  private let auditLog: AuditLog
  private let leases: LeaseStore
  private let logger: Logger

  package init(output: AuditOutput, auditLog: AuditLog, leases: LeaseStore, logger: Logger) {
    (self.output, self.auditLog, self.leases, self.logger) = (output, auditLog, leases, logger)
  }

  /// Runs until the task is canceled.
  package func run() async {
    await repeatedly(every: .seconds(1), upTo: .seconds(60), "Cannot write the audit log", logger: logger) {
      guard try await !auditLog.undelivered(limit: 1).isEmpty else { return }
      _ = try await leases.withLease(of: "audit-out") { try await deliver() }
    }
  }

  private func deliver() async throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    while case let batch = try await auditLog.undelivered(limit: Self.batch), !batch.isEmpty {
      let events = try batch.map { _, record in
        let line = AuditLine(record, hasCursor: false)
        return (action: record.event.action, time: line.time, json: try encoder.encode(line))
      }
      try await runOnThread { [output] in try output.write(events) }
      try await auditLog.settle(batch.map(\.place))
    }
  }
}
