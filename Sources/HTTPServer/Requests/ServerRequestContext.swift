// SPDX-License-Identifier: Apache-2.0

package import Localization
package import Hummingbird
import NIOCore
package import Storage

/// The values of a request that middleware passes on to controllers.
package struct ServerRequestContext: RequestContext {
  /// Hummingbird's own values.
  package var coreContext: CoreRequestContextStorage
  /// The connection, on which files are sent.
  package let channel: any Channel
  /// The other end of the connection: a client or a proxy.
  package let socketAddress: SocketAddress?
  /// The client's address, such as `192.0.2.1`; set by ``NetworkLimitMiddleware``.
  package var clientAddress: String?
  /// The network for rate limits; set by ``NetworkLimitMiddleware``.
  package var network = ClientNetwork.local
  /// The app of the request's key; set by ``APIKeyMiddleware``.
  package var app: App?
  /// The request's session; set by ``SessionMiddleware``.
  package var moderator: Session?
  /// The token of the session's forms; set by ``SessionMiddleware``.
  package var csrf = ""
  /// The counts of waiting cases; set by ``SessionMiddleware``.
  package var waiting = WaitingCaseCounts()
  /// The language of the browser or the account; set by ``LanguageMiddleware`` and ``SessionMiddleware``.
  package var language = Language.english
  /// The request's path; set by ``LanguageMiddleware``.
  package var path = ""
  /// The fields of the form; set by ``FormMiddleware``.
  package var form = Form()

  /// - Parameter source: of the connection.
  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
    socketAddress = source.channel.remoteAddress
  }
}
