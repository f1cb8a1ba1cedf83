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

  /// - Parameter source: of the connection.
  public init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
    socketAddress = source.channel.remoteAddress
  }
}
