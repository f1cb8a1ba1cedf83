// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#else
  package import Darwin
#endif

/// The address of a local socket.
package struct UnixSocketAddress: Sendable {
  private let address: sockaddr_un
  private let length: socklen_t

  /// - Parameter name: the path of a file, or "@" and a name that is not of a file (Linux).
  /// - Returns: nil for an empty or too long name.
  package init?(_ name: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    if first == 0x40 { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    self.address = address
    length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
  }

  package func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
