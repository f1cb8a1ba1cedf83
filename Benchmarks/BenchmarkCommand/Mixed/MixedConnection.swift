// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A non-blocking connection of a mixed load that sends requests and reads responses.
struct MixedConnection {
  enum Event {
    case nothing
    case answered(status: Int, closes: Bool)
    /// The connection can no longer be used.
    case broken
  }

  private(set) var socket: Int32 = -1
  /// The start of the current request, in nanoseconds.
  private(set) var began: UInt64 = 0
  /// Whether an answer is awaited.
  private(set) var isBusy = false
  /// Head and body of the last answer, up to ``kept`` bytes.
  private(set) var answer: [UInt8] = []
  private var request: [UInt8] = []
  private var sent = 0
  private var head: HTTPResponse?
  /// Bytes of the answer that were received.
  private(set) var received = 0

  /// The limit of ``answer`` in bytes: longer than any page.
  private static let kept = 512 << 10

  var wantsToSend: Bool { isBusy && sent < request.count }

  /// Begins to connect.
  mutating func open(_ target: LoadTarget) -> Bool {
    close()
    let family = Int32(target.address.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
    socket = Glibc.socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return false }
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    let result = target.address.withUnsafeBytes { bytes in
      connect(socket, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    return result == 0 || errno == EINPROGRESS
  }

  mutating func close() {
    if socket >= 0 { Glibc.close(socket) }
    socket = -1
    isBusy = false
  }

  /// Begins a request.
  mutating func begin(_ request: [UInt8], at time: UInt64) {
    self.request = request
    (began, sent, received, head, isBusy) = (time, 0, 0, nil, true)
    answer.removeAll(keepingCapacity: true)
    // A connection that breaks here is found by the next poll.
    _ = send()
  }

  /// Sends and receives as far as the socket is ready.
  mutating func proceed(readable: Bool, writable: Bool, scratch: inout [UInt8]) -> Event {
    if wantsToSend, writable, !send() { return .broken }
    guard readable else { return .nothing }
    while true {
      let count = recv(socket, &scratch, scratch.count, 0)
      if count < 0 { return [EAGAIN, EINTR, ENOTCONN].contains(errno) ? .nothing : .broken }
      // The server closed an idle connection, or ended an answer early.
      guard count > 0, isBusy else { return .broken }
      received += count
      if answer.count < Self.kept { answer += scratch[..<min(count, Self.kept - answer.count)] }
      if head == nil {
        do {
          head = try answer.withUnsafeBytes { bytes throws(HTTPResponse.Malformed) in try HTTPResponse.head(bytes) }
        } catch {
          return .broken
        }
      }
      if let head, received >= head.body.upperBound {
        // One response for each request: further bytes belong to no request.
        guard received == head.body.upperBound else { return .broken }
        isBusy = false
        return .answered(status: head.status, closes: head.closes)
      }
      if count < scratch.count { return .nothing }
    }
  }

  /// The answer as text: its head, and its body.
  var text: (head: String, body: String) {
    let end = head.map { min($0.body.lowerBound, answer.count) } ?? answer.count
    return (String(decoding: answer[..<end], as: UTF8.self), String(decoding: answer[end...], as: UTF8.self))
  }

  private mutating func send() -> Bool {
    let count = request.withUnsafeBytes {
      Glibc.send(socket, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
    }
    if count < 0 { return [EAGAIN, EINTR, ENOTCONN].contains(errno) }
    sent += count
    return true
  }
}
