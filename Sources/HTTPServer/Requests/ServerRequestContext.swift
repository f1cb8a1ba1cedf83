// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird
import NIOCore
package import Storage

/// The values of a request that middleware passes on to controllers.
package struct ServerRequestContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The connection, on which files are sent.
  package let channel: any Channel
  /// The other end of the connection: a client or a proxy.
  let socketAddress: SocketAddress?
  /// The client's address, such as `192.0.2.1`; set by ``NetworkLimitMiddleware``.
  package var clientAddress: String?
  /// The network for rate limits; set by ``NetworkLimitMiddleware``.
  package var network = ClientNetwork.local
  /// Set by ``APIKeyMiddleware``.
  package var app: App?
  /// Set by ``SessionMiddleware``.
  package var moderator: Session?
  /// The token of the session's forms; set by ``SessionMiddleware``.
  package var csrf = ""
  /// Set by ``SessionMiddleware``.
  package var waiting = WaitingCaseCounts()
  /// The language of the browser or the account; set by ``LanguageMiddleware`` and ``SessionMiddleware``.
  package var language = Language.english
  /// Set by ``LanguageMiddleware``.
  package var path = ""
  /// Set by ``FormMiddleware``.
  package var form = Form()

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
    socketAddress = source.channel.remoteAddress
  }
}

/// The counts of waiting cases in a page's navigation.
package struct WaitingCaseCounts: Sendable {
  /// Cases that the reader's role may decide.
  package var own: Int
  package var all: Int

  package init(own: Int = 0, all: Int = 0) {
    self.own = own
    self.all = all
  }
}

/// Sets the language and the path of a page request. The API reads the language only if its response has text.
package struct LanguageMiddleware: RouterMiddleware {
  package init() {}

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard !request.uri.path.hasPrefix("/v1/") else { return try await next(request, context) }
    var context = context
    context.path = request.uri.path
    context.language = Language(accepting: request.headers[.acceptLanguage])
    return try await next(request, context)
  }
}
