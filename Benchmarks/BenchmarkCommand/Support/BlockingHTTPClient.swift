// SPDX-License-Identifier: Apache-2.0

import Foundation
import RingfenceCommand

/// A client with one connection that sends one request after another and blocks.
final class BlockingHTTPClient {
  /// A complete response.
  struct Answer {
    let status: Int
    /// The status line and the header fields.
    let head: String
    let body: [UInt8]
    /// From the first byte that is sent to the last one that is received.
    let milliseconds: Double

    var text: String { String(decoding: body, as: UTF8.self) }
    /// The length of head and body.
    var bytes: Int { head.utf8.count + body.count }

    /// The value of a header field, whose name is compared without case; nil when it is absent.
    func field(_ name: String) -> String? {
      head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()):") }
        .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
  }

  private let target: LoadTarget
  private let cookie: String?
  private var socket: Int32 = -1

  /// Bytes of the longest answer.
  private static let room = 8 << 20

  /// - Parameter cookie: the `Cookie` field of every request.
  init(target: LoadTarget, cookie: String? = nil) {
    self.target = target
    self.cookie = cookie
  }

  deinit {
    if socket >= 0 { close(socket) }
  }

  func get(_ path: String) throws -> Answer { try send("GET", path, "") }

  func post(_ path: String, _ fields: [(String, String)]) throws -> Answer {
    let body = fields.map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }.joined(separator: "&")
    return try send("POST", path, body)
  }

  private func send(_ method: String, _ path: String, _ body: String) throws -> Answer {
    let head = """
      \(method) \(path) HTTP/1.1\r
      Host: \(target.authority)\r
      \(cookie.map { "Cookie: \($0)\r\n" } ?? "")Accept: text/html, */*\r
      Content-Type: application/x-www-form-urlencoded\r
      Content-Length: \(body.utf8.count)\r
      \r

      """
    if socket < 0 { try open() }
    let start = ContinuousClock.now
    try write(Array((head + body).utf8))
    var received = [UInt8]()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while received.count < Self.room {
      let count = recv(socket, &chunk, chunk.count, 0)
      guard count > 0 else { throw CommandFailure.failed("The server closed the connection during \(method) \(path).") }
      received += chunk[..<count]
      let answer = try received.withUnsafeBytes { bytes throws(HTTPResponse.Malformed) in
        try HTTPResponse.parse(bytes)
      }
      guard let answer else { continue }
      let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
      if answer.closes {
        close(socket)
        socket = -1
      }
      return Answer(
        status: answer.status, head: String(decoding: received[..<answer.body.lowerBound], as: UTF8.self),
        body: Array(received[answer.body]), milliseconds: milliseconds)
    }
    throw CommandFailure.failed("The answer to \(method) \(path) is longer than \(Self.room) bytes.")
  }

  private func open() throws {
    let family = Int32(target.address.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
    socket = Glibc.socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    let result = target.address.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { connect(socket, $0.baseAddress, socklen_t(bytes.count)) }
    }
    guard result == 0 else {
      close(socket)
      socket = -1
      throw CommandFailure.failed("No server answers at \(target.authority). Start it first.")
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw CommandFailure.failed("The server closed the connection.") }
      sent += count
    }
  }
}
