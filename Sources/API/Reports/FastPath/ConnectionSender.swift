package import HTTPServer
package import NIOCore

/// Whom requests come from; of a connection it is worked out once.
package struct ConnectionSender {
  /// What limits count it under.
  package let network: ClientNetwork
  /// The network's keyed hash; nil where there is no address.
  package let pseudonym: [UInt8]?

  private let address: SocketAddress?

  package init(_ address: SocketAddress?, _ networkPseudonym: (String) -> [UInt8]?) {
    self.address = address
    network = ClientNetwork(address)
    pseudonym = address?.ipAddress.flatMap(networkPseudonym)
  }

  /// Whom a proxy of ours says that it forwards for.
  package func forwarding(_ header: String?, _ networkPseudonym: (String) -> [UInt8]?) -> ConnectionSender {
    header == nil
      ? self
      : ConnectionSender(
        ClientAddress.of(socket: address, forwarded: header, trustsProxy: true), networkPseudonym)
  }
}
