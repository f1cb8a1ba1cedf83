// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The server of an address: scheme, host and port (RFC 6454). An API key is sent to one origin only.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
  /// The scheme: `http` or `https`.
  public let scheme: String
  /// The host in lower case, without the brackets of an IPv6 address.
  public let host: String
  /// The port; the default port of the scheme when the address names none.
  public let port: Int

  /// Creates the origin of an address.
  /// - Returns: nil for other schemes than http and https, and for an address without a host.
  public init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host.map({ Self.bare($0.lowercased()) }), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }

  /// An IPv6 address without its brackets.
  private static func bare(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }

  /// Whether nobody on the network can read the traffic: https, or a loopback address.
  public var isPrivate: Bool { scheme == "https" || Self.isLoopback(host) }

  /// Whether a host is this machine.
  package static func isLoopback(_ host: String) -> Bool { ["127.0.0.1", "localhost", "::1"].contains(bare(host)) }

  /// The origin as text; the port only when it is not the default of the scheme.
  public var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(name)" + (port == (scheme == "https" ? 443 : 80) ? "" : ":\(port)")
  }
}
