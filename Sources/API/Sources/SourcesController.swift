// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Hummingbird
import Storage

/// The lists that are downloaded, for service accounts with the scope administer.
struct SourcesController: Sendable {
  let sources: SourceStore

  /// `GET /v1/moderation/sources`: all sources by name, with the outcome of their last download.
  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try JSON.uncachedResponse(["sources": try await sources.list().map(SourceStatus.init)])
  }
}
