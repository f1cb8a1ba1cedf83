import Foundation

/// A browser's connection to the server, one request after another, that blocks.
final class PageClient {
  /// What came back.
  struct Page {
    let status: Int
    /// Where a redirect leads.
    let location: String?
    let text: String
    /// Of the whole answer.
    let bytes: Int
    /// From the first byte that is sent to the last one that comes.
    let milliseconds: Double
  }

  private let target: LoadTarget
  private let cookie: String
  private var socket: Int32 = -1

  private static let room = 4 << 20

  init(target: LoadTarget, session: String) {
    self.target = target
    cookie = "ringfence_session=\(session)"
  }

  deinit {
    if socket >= 0 { close(socket) }
  }

  func get(_ path: String) throws -> Page { try send("GET", path, "") }

  func post(_ path: String, _ fields: [(String, String)]) throws -> Page {
    let body = fields.map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }.joined(separator: "&")
    return try send("POST", path, body)
  }

  private func send(_ method: String, _ path: String, _ body: String) throws -> Page {
    let head = """
      \(method) \(path) HTTP/1.1\r
      Host: \(target.authority)\r
      Cookie: \(cookie)\r
      Accept: text/html\r
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
      let answer = try received.withUnsafeBytes { bytes throws(HTTPAnswer.Malformed) in try HTTPAnswer.parse(bytes) }
      guard let answer else { continue }
      let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
      if answer.closes {
        close(socket)
        socket = -1
      }
      let head = String(decoding: received[..<answer.body.lowerBound], as: UTF8.self)
      let location = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("location:") }
        .map { $0.dropFirst("location:".count).trimmingCharacters(in: .whitespaces) }
      return Page(
        status: answer.status, location: location, text: String(decoding: received[answer.body], as: UTF8.self),
        bytes: received.count, milliseconds: milliseconds)
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
      throw CommandFailure.failed("Nothing listens at \(target.authority). Start the server first.")
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
