// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A local server that answers one connection with a text and then repeats a piece, until it has sent enough, or nobody
/// reads for a second, or the client closes the connection.
final class HostileSocket: Sendable {
  let url: URL
  private let listener: Int32
  private let sent = Mutex(0)
  private let ended = DispatchSemaphore(value: 0)

  private static let enough = 256 << 20

  /// Starts the server.
  /// - Parameters:
  ///   - text: the start of the response.
  ///   - piece: the bytes to repeat; empty to be silent until the client leaves.
  init(_ text: String, repeating piece: [UInt8] = []) throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    let listener = socket(AF_INET, kind, 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16 in
        guard bind(listener, address, length) == 0, listen(listener, 1) == 0 else { return 0 }
        guard getsockname(listener, address, &length) == 0 else { return 0 }
        return UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_port.bigEndian
      }
    }
    guard port > 0, let url = URL(string: "http://127.0.0.1:\(port)/") else { throw POSIXError(.EADDRNOTAVAIL) }
    self.url = url
    Thread.detachNewThread { [self] in
      serve(text, piece)
      ended.signal()
    }
  }

  deinit { close(listener) }

  /// Waits until the server sends no more.
  /// - Returns: the number of bytes that it has sent.
  func wait() -> Int {
    ended.wait()
    defer { ended.signal() }
    return sent.withLock { $0 }
  }

  private func serve(_ text: String, _ piece: [UInt8]) {
    let client = accept(listener, nil, nil)
    guard client >= 0 else { return }
    defer { close(client) }
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var request = [UInt8](repeating: 0, count: 1 << 16)
    guard recv(client, &request, request.count, 0) > 0, send(Array(text.utf8), to: client) else { return }
    if piece.isEmpty { while recv(client, &request, request.count, 0) > 0 {} }
    while !piece.isEmpty, sent.withLock({ $0 < Self.enough }) {
      guard send(piece, to: client) else { return }
    }
  }

  private func send(_ bytes: [UInt8], to client: Int32) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var left = bytes[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes { write(client, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      sent.withLock { $0 += count }
      left = left.dropFirst(count)
    }
    return true
  }

  private func write(_ client: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    #if canImport(Darwin)
      Darwin.send(client, bytes, count, flags)
    #else
      Glibc.send(client, bytes, count, flags)
    #endif
  }
}
