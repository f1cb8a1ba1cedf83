// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import NIOCore

/// The sender of the requests of a connection, computed once for a connection.
package struct ConnectionSender {
  /// The key of the sender in the rate limits.
  package let network: ClientNetwork
  /// The network's keyed hash; nil where there is no address.
  package let pseudonym: [UInt8]?

  private let address: SocketAddress?

  package init(_ address: SocketAddress?, _ networkPseudonym: (String) -> [UInt8]?) {
    self.address = address
    network = ClientNetwork(address)
    pseudonym = address?.ipAddress.flatMap(networkPseudonym)
  }

  /// The sender that a trusted proxy forwards for.
  package func forwarding(_ header: String?, _ networkPseudonym: (String) -> [UInt8]?) -> ConnectionSender {
    header == nil
      ? self
      : ConnectionSender(
        ClientAddress.of(socket: address, forwarded: header, trustsProxy: true), networkPseudonym)
  }
}
