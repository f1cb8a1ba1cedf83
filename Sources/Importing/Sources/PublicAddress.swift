// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import Curation
import Foundation

/// Resolves hosts to addresses of the public internet.
enum PublicAddress {
  /// The address of a host.
  /// - Throws: ``SourceFailure/privateAddress`` where one of its addresses is not public, and a failed connection where it
  ///   has none.
  static func resolve(_ host: String) async throws -> String {
    try await runOnThread {
      let own = own()
      var hints = addrinfo()
      #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      #else
        hints.ai_socktype = SOCK_STREAM
      #endif
      var found: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(host, nil, &hints, &found)
      guard code == 0 else { throw SourceFailure.connectionFailed(String(cString: gai_strerror(code))) }
      defer { freeaddrinfo(found) }
      var addresses: [String] = []
      var next = found
      while let entry = next?.pointee {
        if let bytes = bytes(of: entry) {
          guard isPublic(bytes, besides: own) else { throw SourceFailure.privateAddress }
          addresses.append(text(bytes))
        }
        next = entry.ai_next
      }
      guard let first = addresses.first else { throw SourceFailure.connectionFailed("the host has no address") }
      return first
    }
  }

  /// Whether an address is none of this machine, of a private network or of a special use, by the registries of IANA
  /// (RFC 6890).
  /// - Parameters:
  ///   - bytes: 4 bytes of IPv4, or 16 bytes of IPv6.
  ///   - own: the addresses of this machine.
  static func isPublic(_ bytes: [UInt8], besides own: Set<[UInt8]> = []) -> Bool {
    guard !own.contains(bytes) else { return false }
    guard bytes.count == 16 else { return isPublic4(bytes) }
    if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
      return isPublic(Array(bytes[12...]), besides: own)
    }
    if bytes.starts(with: [0x20, 0x02]) { return isPublic(Array(bytes[2..<6]), besides: own) }
    // Teredo, and the other special addresses below 2001:200::.
    if bytes[0] == 0x20, bytes[1] == 0x01, bytes[2] < 0x02 { return false }
    // Global unicast is 2000::/3; addresses of IPv4 within IPv6, loopback, unique local and link-local ones are not.
    return bytes[0] & 0xE0 == 0x20
  }

  private static func isPublic4(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 4 else { return false }
    switch (bytes[0], bytes[1], bytes[2]) {
    case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): return false
    case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): return false
    case (192, 0, 0): return false
    default: return true
    }
  }

  /// The addresses of the interfaces of this machine.
  static func own() -> Set<[UInt8]> {
    var found: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&found) == 0 else { return [] }
    defer { freeifaddrs(found) }
    var addresses: Set<[UInt8]> = []
    var next = found
    while let entry = next?.pointee {
      if let address = entry.ifa_addr, let bytes = bytes(of: address, Int32(address.pointee.sa_family)) {
        addresses.insert(bytes)
      }
      next = entry.ifa_next
    }
    return addresses
  }

  private static func bytes(of entry: addrinfo) -> [UInt8]? {
    entry.ai_addr.flatMap { bytes(of: $0, entry.ai_family) }
  }

  private static func bytes(of address: UnsafeMutablePointer<sockaddr>, _ family: Int32) -> [UInt8]? {
    let address = UnsafeRawPointer(address)
    switch family {
    case AF_INET:
      return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6:
      return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default: return nil
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: 64)
    inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
