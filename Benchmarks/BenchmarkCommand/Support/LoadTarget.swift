// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A server on this machine, over plain HTTP/1.1.
struct LoadTarget: Sendable, Equatable {
  /// Host and port as in a `Host` header field.
  let authority: String
  let port: UInt16
  /// A `sockaddr_in` or `sockaddr_in6`.
  let address: [UInt8]

  /// Nil for another scheme than http, a path, or a host that is not `localhost` or a loopback address.
  init?(url: String) {
    guard let parts = URLComponents(string: url), parts.scheme == "http", let host = parts.host,
      ["", "/"].contains(parts.path), parts.query == nil, parts.user == nil,
      let port = UInt16(exactly: parts.port ?? 80), port > 0
    else { return nil }
    let bare = host == "localhost" ? "127.0.0.1" : host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    guard let address = Self.loopback(bare, port: port) else { return nil }
    authority = "\(bare.contains(":") ? "[\(bare)]" : bare):\(port)"
    self.port = port
    self.address = address
  }

  private static func loopback(_ host: String, port: UInt16) -> [UInt8]? {
    var v4 = sockaddr_in()
    v4.sin_family = sa_family_t(AF_INET)
    v4.sin_port = port.bigEndian
    if inet_pton(AF_INET, host, &v4.sin_addr) == 1 {
      return UInt32(bigEndian: v4.sin_addr.s_addr) >> 24 == 127 ? withUnsafeBytes(of: v4) { Array($0) } : nil
    }
    var v6 = sockaddr_in6()
    v6.sin6_family = sa_family_t(AF_INET6)
    v6.sin6_port = port.bigEndian
    guard inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: v6.sin6_addr) { Array($0) }
    return bytes == [UInt8](repeating: 0, count: 15) + [1] ? withUnsafeBytes(of: v6) { Array($0) } : nil
  }
}
