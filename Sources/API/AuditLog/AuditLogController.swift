// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import Storage
import Timestamps

/// `GET /v1/moderation/audit-log`: events as JSON Lines, the newest first.
struct AuditLogController: Sendable {
  let auditLog: AuditLog

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let time = { (text: String) in Timestamp.parse(text) }
    // PostgreSQL has no text with NUL.
    let text = { (text: String) -> String? in text.contains("\0") ? nil : text }
    let filter = AuditFilter(
      actor: try request.parameter("actor", "It must have no NUL.", text),
      action: try request.parameter("action", "It must have no NUL.", text),
      subject: try request.parameter("subject", "It must have no NUL.", text),
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
