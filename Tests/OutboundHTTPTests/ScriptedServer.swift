// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A local server that gives the answer of a request's path, and keeps the requests.
final class ScriptedServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let answers: [String: String]
  private let state = Mutex<(requests: [String], connections: Int)>(([], 0))

  /// - Parameter answers: by path, in the bytes of HTTP. The connection ends behind the answer of `/last`; other connections wait for
  ///   the next request.
  init(_ answers: [String: String]) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16 in
        guard bind(listener, address, length) == 0, listen(listener, 16) == 0 else { return 0 }
        guard getsockname(listener, address, &length) == 0 else { return 0 }
        return UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_port.bigEndian
      }
    }
    (self.listener, self.answers) = (listener, answers)
    guard port > 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread { [weak self] in
          self?.serve(client)
          close(client)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  var requests: [String] { state.withLock { $0.requests } }
  var connections: Int { state.withLock { $0.connections } }

  func url(_ path: String, host: String = "127.0.0.1") -> URL { URL(string: "http://\(host):\(port)\(path)")! }

  private func serve(_ client: Int32) {
    state.withLock { $0.connections += 1 }
    var request = ""
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request += String(decoding: buffer.prefix(count), as: UTF8.self)
      guard let end = request.range(of: "\r\n\r\n") else { continue }
      // Bodies of the tests are short, and come with the head or right behind it.
      if request.contains("Content-Length: 4"), request[end.upperBound...].utf8.count < 4 { continue }
      let path = String(request.split(separator: " ")[1])
      state.withLock { $0.requests.append(request) }
      request = ""
      let answer = Array((answers[path] ?? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").utf8)
      guard send(client, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else { return }
      if path.hasSuffix("/last") { return }
    }
  }
}
