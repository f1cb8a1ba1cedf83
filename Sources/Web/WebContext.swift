public import Hummingbird
import NIOCore
import Storage

/// What a request carries from middleware to controller.
public struct WebContext: RequestContext {
  /// What Hummingbird itself keeps.
  public var coreContext: CoreRequestContextStorage
  /// The connection itself, which files are sent on.
  let channel: any Channel
  /// Whom the connection comes from: a client, or a proxy.
  let socketAddress: SocketAddress?
  /// Whom the request comes from, such as `192.0.2.1`; set by ``NetworkLimitMiddleware``.
  var clientAddress: String?
  /// The network that limits count it under; set by ``NetworkLimitMiddleware``.
  var network = ClientNetwork.local
  /// The app whose key the request bears; set by ``APIKeyMiddleware``.
  var app: App?
  /// Whose session the request bears; set by ``SessionMiddleware``.
  var moderator: Moderator?
  /// The token of the session's forms; set by ``SessionMiddleware``.
  var csrf = ""
  /// How many cases wait; set by ``SessionMiddleware``.
  var waiting = WaitingCases()
  /// What the browser asks for, or the account; set by ``ReaderMiddleware`` and ``SessionMiddleware``.
  var language = Language.english
  /// The path that is asked for; set by ``ReaderMiddleware``.
  var path = ""
  /// The fields that were sent; set by ``FormMiddleware``.
  var form = Form()

  /// - Parameter source: of the connection.
  public init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
    socketAddress = source.channel.remoteAddress
  }
}
