// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import Storage
import Support

/// `GET /v1/moderation/audit-log`: events as JSON Lines, the newest first.
struct AuditLogController: Sendable {
  let auditLog: AuditLog

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let time = { (text: String) in Timestamp.parse(text) }
    // PostgreSQL has no text with NUL.
    func text(_ name: String, upTo most: Int) throws -> String? {
      try request.parameter(name, "It must have at most \(most) characters, and no NUL.") {
        $0.unicodeScalars.count > most || $0.contains("\0") ? nil : $0
      }
    }
    let filter = AuditFilter(
      actor: try text("actor", upTo: 80), action: try text("action", upTo: 80),
      subject: try text("subject", upTo: 200),
      since: try request.parameter("since", "It must be a time such as 2026-11-21T00:00:00Z.", time),
      until: try request.parameter("until", "It must be a time such as 2026-11-21T00:00:00Z.", time))
    let cursor = try request.parameter("cursor", "It must be the cursor of the last line.", { AuditCursor($0) })
    let records = try await auditLog.events(filter, after: cursor, limit: try request.limit(upTo: AuditLog.batch))
    let lines = records.map { JSON.data(AuditLine($0, hasCursor: true)) + Data("\n".utf8) }
    return Response(
      status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(bytes: lines.joined())))
  }
}
