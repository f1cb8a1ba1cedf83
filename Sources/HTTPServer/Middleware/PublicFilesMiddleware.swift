// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird

/// Serves files of `Public/` if no route matches, without ranges and only by their exact names.
package struct PublicFilesMiddleware: RouterMiddleware {
  private let files: FileMiddleware<ServerRequestContext, LocalFileSystem>

  package init(folder: String) {
    files = FileMiddleware(folder, searchForIndexHtml: false)
  }

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    // The system ends a name at NUL, so that another name would find the file.
    guard !request.uri.path.contains("%00") else { return try await next(request, context) }
    // FileMiddleware answers some ranges with wrong lengths. Routes still get the original request.
    var head = request.head
    head.headerFields[.range] = nil
    return try await files.handle(Request(head: head, body: request.body), context: context) { _, context in
      try await next(request, context)
    }
  }
}
