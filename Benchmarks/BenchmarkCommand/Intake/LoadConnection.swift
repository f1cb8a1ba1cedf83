// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A non-blocking connection of a load that sends requests and reads responses.
struct LoadConnection {
  /// The result of reading from and writing to the socket.
  enum Event {
    case nothing
    case answered(HTTPResponse)
    /// The connection can no longer be used.
    case broken
  }

  private(set) var socket: Int32 = -1
  /// The start of the current request, in nanoseconds.
  private(set) var began: UInt64 = 0
  /// The next request.
  var request: ReportRequest
  private var sent = 0
  private var received = 0
  private var buffer: [UInt8]

  /// - Parameter room: bytes of the longest answer.
  init(request: ReportRequest, room: Int) {
    self.request = request
    buffer = [UInt8](repeating: 0, count: room)
  }

  /// Whether there is something left to send.
  var wantsToSend: Bool { sent < request.bytes.count }

  /// Begins to connect.
  mutating func open(_ target: LoadTarget) -> Bool {
    close()
    let family = Int32(target.address.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
    socket = Glibc.socket(
      family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
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
    sent = request.bytes.count
    received = 0
  }

  /// Begins the request.
  mutating func begin(at time: UInt64) -> Event {
    began = time
    sent = 0
    received = 0
    return send()
  }

  /// Sends and receives as far as the socket is ready.
  mutating func proceed(readable: Bool, writable: Bool) -> Event {
    if wantsToSend, writable, case .broken = send() { return .broken }
    return readable ? receive() : .nothing
  }

  /// The bytes of the last response.
  func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  private mutating func send() -> Event {
    let count = request.bytes.withUnsafeBytes {
      Glibc.send(socket, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
    }
    if count < 0 { return Self.mayTryAgain ? .nothing : .broken }
    sent += count
    return .nothing
  }

  private mutating func receive() -> Event {
    guard received < buffer.count else { return .broken }
    let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress! + received, $0.count - received, 0) }
    if count < 0 { return Self.mayTryAgain ? .nothing : .broken }
    if count == 0 { return .broken }
    received += count
    let answer: HTTPResponse?
    do {
      answer = try buffer.withUnsafeBytes { bytes throws(HTTPResponse.Malformed) in
        try HTTPResponse.parse(UnsafeRawBufferPointer(rebasing: bytes[..<received]))
      }
    } catch {
      return .broken
    }
    guard let answer else { return .nothing }
    // One response for each request: further bytes belong to no request.
    return answer.body.upperBound == received ? .answered(answer) : .broken
  }

  private static var mayTryAgain: Bool { [EAGAIN, EINTR, ENOTCONN].contains(errno) }
}
