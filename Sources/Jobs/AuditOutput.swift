// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation
import Glibc

/// Where the events of the audit log are written: a file, or syslog (RFC 5424).
package enum AuditOutput: Sendable, Equatable {
  /// A file, to which lines of JSON are appended. It is opened for each batch, so it may be renamed.
  case file(String)
  /// The socket of a local syslog, such as `/dev/log`.
  case socket(String)
  /// A syslog server by datagrams, one for each event (RFC 5426).
  case udp(host: String, port: String)
  /// A syslog server by a stream, with the length before each event (RFC 6587).
  case tcp(host: String, port: String)

  /// - Parameter text: the value of `audit-out`.
  package init?(_ text: String) {
    if text == "syslog" {
      self = .socket("/dev/log")
    } else if text.hasPrefix("unix:/") {
      self = .socket(String(text.dropFirst(5)))
    } else if text.hasPrefix("/") {
      self = .file(text)
    } else if let match = text.wholeMatch(of: /(udp|tcp):\/\/(\[[0-9a-fA-F:.]+\]|[^\[\]:\/@ ]+):([0-9]{1,5})/),
      (1...65_535).contains(Int(match.3) ?? 0)
    {
      let (host, port) = (match.2.trimmingCharacters(in: ["[", "]"]), String(match.3))
      self = match.1 == "udp" ? .udp(host: host, port: port) : .tcp(host: host, port: port)
    } else {
      return nil
    }
  }

  /// The value of `audit-out`.
  package var text: String {
    switch self {
    case .file(let path): path
    case .socket(let path): "unix:\(path)"
    case .udp(let host, let port): "udp://\(host):\(port)"
    case .tcp(let host, let port): "tcp://\(host):\(port)"
    }
  }

  /// Writes events; returns when they are on disk or sent. Blocks its thread.
  /// - Parameter events: lines of JSON without their ends.
  /// - Throws: ``AuditOutputFailure``; then some of the events may have been written.
  func write(_ events: [(action: String, time: String, json: Data)]) throws(AuditOutputFailure) {
    switch self {
    case .file(let path): try Self.append(events.map { $0.json + Data("\n".utf8) }, to: path)
    case .socket(let path):
      let socket = try AuditSocket(path: path)
      defer { socket.close() }
      for event in events { try socket.send(SyslogMessage(event.action, event.time, event.json).bytes) }
    case .udp(let host, let port):
      let socket = try AuditSocket(host: host, port: port, isStream: false)
      defer { socket.close() }
      for event in events { try socket.send(SyslogMessage(event.action, event.time, event.json).bytes) }
    case .tcp(let host, let port):
      let socket = try AuditSocket(host: host, port: port, isStream: true)
      defer { socket.close() }
      for event in events {
        let message = SyslogMessage(event.action, event.time, event.json).bytes
        try socket.send(Data("\(message.count) ".utf8) + message)
      }
      // Syslog has no acknowledgement: that the server ends the connection after us shows that it has read everything.
      try socket.finish()
    }
  }

  private static func append(_ lines: [Data], to path: String) throws(AuditOutputFailure) {
    let file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
    guard file >= 0 else { throw AuditOutputFailure("open \(path)") }
    defer { Glibc.close(file) }
    // A write that was interrupted may have left a part of a line.
    var last: UInt8 = 0x0A
    let size = lseek(file, 0, SEEK_END)
    if size > 0 { _ = pread(file, &last, 1, size - 1) }
    var rest = (last == 0x0A ? Data() : Data("\n".utf8)) + lines.joined()
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { throw failure(file, size, path) }
      rest = rest.dropFirst(max(0, count))
    }
    // A pipe or a terminal has no disk.
    guard fsync(file) == 0 || errno == EINVAL else { throw failure(file, size, path) }
  }

  /// Shortens a file to its lines before a write that failed, for example on a full disk, because all are written again.
  private static func failure(_ file: Int32, _ size: off_t, _ path: String) -> AuditOutputFailure {
    let failure = AuditOutputFailure("write \(path)")
    // A pipe has no size.
    if size >= 0 { ftruncate(file, size) }
    return failure
  }
}

/// An event as a message of syslog (RFC 5424), of the facility "log audit" and the severity "informational".
private struct SyslogMessage {
  private static let host: String = {
    let name = ProcessInfo.processInfo.hostName.prefix(255).filter { $0.isASCII && !$0.isWhitespace }
    return name.isEmpty ? "-" : String(name)
  }()

  let bytes: Data

  init(_ action: String, _ time: String, _ json: Data) {
    let process = ProcessInfo.processInfo.processIdentifier
    bytes = Data("<110>1 \(time) \(Self.host) ringfence \(process) \(action.prefix(32)) - ".utf8) + json
  }
}

/// A failed call with the system's reason.
struct AuditOutputFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ call: String, _ reason: String? = nil) {
    description = "Cannot \(call): \(reason ?? String(cString: strerror(errno)))"
  }
}

/// A socket that blocks for ``patience`` at most.
private struct AuditSocket {
  private static let patience = timeval(tv_sec: 5, tv_usec: 0)

  private let descriptor: Int32
  private let name: String

  init(path: String) throws(AuditOutputFailure) {
    name = path
    guard let address = UnixSocketAddress(path) else {
      throw AuditOutputFailure("connect to \(path)", "the path is too long")
    }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    let isConnected = address.withPointer { connect(descriptor, $0, $1) } == 0
    guard isConnected else {
      let failure = failure("connect to")
      close()
      throw failure
    }
    limit()
  }

  init(host: String, port: String, isStream: Bool) throws(AuditOutputFailure) {
    name = "\(host):\(port)"
    var hints = addrinfo()
    hints.ai_socktype = Int32((isStream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, port, &hints, &found)
    guard status == 0 else { throw AuditOutputFailure("find \(host)", String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(found) }
    var next = found
    while let info = next?.pointee {
      let candidate = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
      var patience = Self.patience
      // The limit of sending applies to connecting too.
      setsockopt(candidate, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      if candidate >= 0, connect(candidate, info.ai_addr, info.ai_addrlen) == 0 {
        descriptor = candidate
        limit()
        return
      }
      let reason = String(cString: strerror(errno))
      Glibc.close(candidate)
      next = info.ai_next
      if next == nil { throw AuditOutputFailure("connect to \(name)", reason) }
    }
    throw AuditOutputFailure("find \(host)", "it has no address")
  }

  private func limit() {
    var patience = Self.patience
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  func send(_ message: Data) throws(AuditOutputFailure) {
    var rest = message
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw failure("send to") }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits until the other side has read everything and ended the connection.
  func finish() throws(AuditOutputFailure) {
    guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { throw failure("send to") }
    var bytes = [UInt8](repeating: 0, count: 1_024)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count == 0 { return }
      guard count > 0 else { throw failure("send to") }
    }
  }

  func close() { Glibc.close(descriptor) }

  private func failure(_ call: String) -> AuditOutputFailure { AuditOutputFailure("\(call) \(name)") }
}
