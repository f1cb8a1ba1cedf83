package import Localization
package import Hummingbird
import NIOCore
package import Storage

/// What a request carries from middleware to controller.
package struct ServerRequestContext: RequestContext {
  /// What Hummingbird itself keeps.
  package var coreContext: CoreRequestContextStorage
  /// The connection itself, which files are sent on.
  package let channel: any Channel
  /// Whom the connection comes from: a client, or a proxy.
  package let socketAddress: SocketAddress?
  /// Whom the request comes from, such as `192.0.2.1`; set by ``NetworkLimitMiddleware``.
  package var clientAddress: String?
  /// The network that limits count it under; set by ``NetworkLimitMiddleware``.
  package var network = ClientNetwork.local
  /// The app whose key the request bears; set by ``APIKeyMiddleware``.
  package var app: App?
  /// Whose session the request bears; set by ``SessionMiddleware``.
  package var moderator: Session?
  /// The token of the session's forms; set by ``SessionMiddleware``.
  package var csrf = ""
  /// How many cases wait; set by ``SessionMiddleware``.
  package var waiting = WaitingCases()
  /// What the browser asks for, or the account; set by ``LanguageMiddleware`` and ``SessionMiddleware``.
  package var language = Language.english
  /// The path that is asked for; set by ``LanguageMiddleware``.
  package var path = ""
  /// The fields that were sent; set by ``FormMiddleware``.
  package var form = Form()

  /// - Parameter source: of the connection.
  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
    socketAddress = source.channel.remoteAddress
  }
}
