// SPDX-License-Identifier: Apache-2.0

import ServerSupport
public import Foundation
import Synchronization

/// Requests to other servers over http and https, by libcurl: no cookies, no cache, no proxy, no compression, and redirects
/// within the server's origin only.
///
/// The head of a response is checked before its body is read, and the body is read only as fast as it is processed. A
/// hostile server costs no more memory than the limit of the request and a few network buffers.
public final class OutboundHTTP: Sendable {
  /// The most transfers of this process at once: each has a thread, and a second while a host is resolved. Jobs have
  /// at most about 25; strangers can cause more, by sign-ins with an identity provider.
  private static let maxTransfers = 64
  private static let running = Atomic(0)

  let idle: Duration
  /// The addresses to connect to, by host; nil where hosts are resolved.
  let addresses: [String: String]?
  private let unused = Mutex<[Transfer]>([])

  private init(idle: Duration, addresses: [String: String]?) { (self.idle, self.addresses) = (idle, addresses) }

  /// Opens a client for as long as `body` runs, and then closes its connections.
  /// - Parameters:
  ///   - idle: the longest time without data from the server.
  ///   - addresses: the address to connect to for each host, as it is written in URLs; other hosts are refused. Nil to
  ///     resolve hosts. Certificates are checked for the host.
  public static func withClient<Result>(
    idle: Duration = .seconds(30), addresses: [String: String]? = nil, _ body: (OutboundHTTP) async throws -> Result
  ) async throws -> Result {
    try await body(OutboundHTTP(idle: idle, addresses: addresses))
  }

  /// Sends a request, and passes the body of the response on piece by piece.
  ///
  /// The body is read for a status of 2xx only.
  /// - Parameters:
  ///   - limit: the maximum bytes of the body.
  ///   - total: the time limit of the response, including redirects.
  ///   - head: receives status and fields before the body; an error that it throws ends the transfer and is rethrown.
  ///   - body: receives each piece, in order; the next one is read when it returns.
  /// - Returns: the head of the response.
  /// - Throws: ``HTTPClientError``, `CancellationError`, and errors of `head` and `body`.
  @discardableResult
  public func send(
    _ request: OutboundRequest, limit: Int, total: Duration,
    head: @escaping @Sendable (OutboundResponse) throws -> Void, body: @escaping @Sendable (Data) throws -> Void
  ) async throws -> OutboundResponse {
    defer { Self.running.subtract(1, ordering: .relaxed) }
    guard Self.running.add(1, ordering: .relaxed).newValue <= Self.maxTransfers else {
      throw HTTPClientError.connectionFailed("\(Self.maxTransfers) requests to other servers already run")
    }
    let (transfer, cancellation) = (unused.withLock { $0.popLast() } ?? Transfer(), CancellationFlag())
    return try await withTaskCancellationHandler {
      try await runOnThread {
        let answer = try transfer.run(
          request, self, cancellation, limit: limit, total: total, head: head, body: body)
        self.unused.withLock { $0.append(transfer) }
        return answer
      }
    } onCancel: {
      cancellation.set()
      transfer.wake()
    }
  }

  /// Sends a request for a short body.
  /// - Parameters:
  ///   - limit: the maximum bytes of the body.
  ///   - total: the time limit of the response, including redirects.
  /// - Returns: the body is empty unless the status is 2xx.
  /// - Throws: ``HTTPClientError``, `CancellationError`.
  public func send(
    _ request: OutboundRequest, limit: Int, total: Duration
  ) async throws -> (head: OutboundResponse, body: Data) {
    let received = Mutex(Data())
    let head = try await send(request, limit: limit, total: total) { _ in
    } body: { data in
      received.withLock { $0 += data }
    }
    return (head, received.withLock { $0 })
  }
}

public struct OutboundRequest: Sendable {
  public var method: String
  /// The URL, with http or https.
  public var url: URL
  public var fields: [String: String]
  public var body: Data?
  /// Maximum redirects within the origin that are followed; each repeats the request with all its fields.
  public var redirects = 0

  /// Creates a request that follows no redirects.
  public init(_ method: String = "GET", _ url: URL, fields: [String: String] = [:], body: Data? = nil) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}

public struct OutboundResponse: Sendable {
  public let status: Int
  private let fields: [(name: String, value: String)]

  init(status: Int, fields: [(name: String, value: String)]) { (self.status, self.fields) = (status, fields) }

  /// - Parameter name: in any case.
  public subscript(name: String) -> String? { values(of: name).first }

  private func values(of name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  public var failure: HTTPClientError {
    .status(status, retryAfter: self["Retry-After"].flatMap { Int($0) })
  }

  /// Refuses a body that is encoded, since its length does not limit the decoded length, and one that is announced to
  /// be longer than the limit.
  func checkBody(limit: Int) throws(HTTPClientError) {
    let encodings = list("Content-Encoding") + list("Transfer-Encoding")
    if let encoding = encodings.first(where: { !["identity", "chunked"].contains($0.lowercased()) }) {
      throw .encoded(encoding)
    }
    let lengths = list("Content-Length")
    guard lengths.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { throw .malformed }
    // Nil is a number beyond 64 bits.
    if lengths.contains(where: { Int($0) ?? .max > limit }) { throw .tooLong(limit: limit) }
  }

  /// Whether the end of the body shows without the end of the connection.
  var hasLength: Bool {
    status == 204 || !values(of: "Content-Length").isEmpty || !values(of: "Transfer-Encoding").isEmpty
  }

  private func list(_ name: String) -> [String] {
    values(of: name).flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
