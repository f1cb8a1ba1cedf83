// SPDX-License-Identifier: Apache-2.0

import Foundation
package import NIOCore

/// The network of a request: /24 of IPv4, /48 of IPv6.
package struct ClientNetwork: Hashable, Sendable {
  private enum Family: UInt8 { case local, v4, v6 }
  private let family: Family
  private let bits: UInt64

  /// The network of clients without an address, on a Unix socket.
  package static let local = ClientNetwork(family: .local, bits: 0)

  private init(family: Family, bits: UInt64) {
    self.family = family
    self.bits = bits
  }

  /// - Parameter address: of the client; IPv4 written as IPv6 (`::ffff:192.0.2.1`) counts as IPv4.
  package init(_ address: SocketAddress?) {
    switch address {
    case .v4(let address):
      self.init(v4: UInt32(bigEndian: address.address.sin_addr.s_addr))
    case .v6(let address):
      let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
      if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
        self.init(v4: bytes[12...].reduce(0) { $0 << 8 | UInt32($1) })
      } else {
        self.init(family: .v6, bits: bytes[..<6].reduce(0) { $0 << 8 | UInt64($1) })
      }
    default:
      self = .local
    }
  }

  private init(v4 address: UInt32) {
    self.init(family: .v4, bits: UInt64(address >> 8))
  }
}

/// Finds the address of a request's sender.
package enum ClientAddress {
  /// The last hop of `X-Forwarded-For`, which a trusted proxy added; clients can forge the hops before it.
  /// - Parameters:
  /// - socket: the other end of the connection.
  /// - forwarded: the header; several are joined by commas.
  /// - trustsProxy: whether `socket` is a trusted proxy.
  package static func of(socket: SocketAddress?, forwarded: String?, trustsProxy: Bool) -> SocketAddress? {
    guard trustsProxy, let hop = forwarded?.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
    else { return socket }
    return parse(hop) ?? socket
  }

  /// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:443`.
  private static func parse(_ hop: String) -> SocketAddress? {
    var host = Substring(hop)
    if host.first == "[" {
      host = host.dropFirst().prefix { $0 != "]" }
    } else if host.count(where: { $0 == ":" }) == 1 {
      host = host.prefix { $0 != ":" }
    }
    return try? SocketAddress(ipAddress: String(host), port: 0)
  }
}
