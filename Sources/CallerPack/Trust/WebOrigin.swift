public import Foundation

/// The server that an address leads to: scheme, host and port (RFC 6454). A key is for one of them.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
  /// `http` or `https`.
  public let scheme: String
  /// In lower case, without the brackets of an IPv6 address.
  public let host: String
  /// The scheme's own where the address names none.
  public let port: Int

  /// - Returns: nil for anything but http and https, and for an address without a host.
  public init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host?.lowercased().trimmingCharacters(in: ["[", "]"]), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }

  /// Whether nobody between can read what is sent there: https, or this machine.
  public var isPrivate: Bool { scheme == "https" || ["127.0.0.1", "localhost", "::1"].contains(host) }

  /// As an address is written; the port only where it is not the scheme's own.
  public var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(name)" + (port == (scheme == "https" ? 443 : 80) ? "" : ":\(port)")
  }
}
