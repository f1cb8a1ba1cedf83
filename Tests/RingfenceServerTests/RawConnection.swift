// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A plain TCP connection for requests that a correct HTTP client does not send. Its calls block; run them in
/// ``raw(_:)``.
final class RawConnection: @unchecked Sendable {
  private let descriptor: Int32

  /// - Parameters:
  /// - port: on 127.0.0.1.
  /// - source: the local address, any of 127.0.0.0/8.
  init(port: Int, from source: String = "127.0.0.1") throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // Every wait has a limit.
    var timeout = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    try check(Self.with(source, 0) { bind(descriptor, $0, $1) })
    try check(Self.with("127.0.0.1", port) { connect(descriptor, $0, $1) })
  }

  deinit { close(descriptor) }

  /// - Returns: whether the other side still accepts data.
  @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  /// Closes the sending direction; responses can still be read.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Whether data can be read without waiting.
  var hasSomethingToRead: Bool {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&look, 1, 0) > 0
  }

  /// Waits until `count` connections have data to read.
  /// - Returns: the responses of these connections, read to their end.
  static func answers(_ count: Int, of connections: [RawConnection]) throws -> [String] {
    var silent = connections
    var answers: [String] = []
    while answers.count < count {
      var polls = silent.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      guard poll(&polls, nfds_t(polls.count), 30_000) > 0 else { break }
      let ready = polls.indices.filter { polls[$0].revents != 0 }
      answers += try ready.map { try silent[$0].readToEnd() }
      silent = silent.indices.filter { !ready.contains($0) }.map { silent[$0] }
    }
    return answers
  }

  /// Reads until the other side closes.
  func readToEnd() throws -> String {
    try read { _ in false }
  }

  /// Waits up to a minute for the other side to close, without reading: sends line ends, which are ignored between
  /// requests, until they are refused.
  /// - Returns: whether it has closed.
  func waitUntilClosed() -> Bool {
    for _ in 0..<3_000 {
      if !send("\r\n") { return true }
      usleep(20_000)
    }
    return false
  }

  /// Reads until `text` has arrived or the other side closes.
  func read(until text: String) throws -> String {
    try read { $0.contains(text) }
  }

  /// - Returns: the received bytes, 1 to `count`; empty if the other side has closed.
  func receive(atMost count: Int) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let received = recv(descriptor, &buffer, count, 0)
    if received < 0, errno == ECONNRESET { return [] }
    try check(Int32(truncatingIfNeeded: received))
    return Array(buffer[..<received])
  }

  private func read(until isDone: (String) -> Bool) throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) { return String(decoding: bytes, as: UTF8.self) }
      try check(Int32(truncatingIfNeeded: count))
      bytes += buffer[..<count]
      let text = String(decoding: bytes, as: UTF8.self)
      if isDone(text) { return text }
    }
  }

  private func check(_ result: Int32) throws {
    if result < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  private static func with(_ host: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32
  {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return withUnsafeBytes(of: &address) {
      body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}

/// Runs blocking work on its own thread.
func raw<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
