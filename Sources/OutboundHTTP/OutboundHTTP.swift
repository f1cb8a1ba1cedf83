// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CallerPack
public import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// Requests to other servers over http and https: no cookies, no cache, no proxy, no compression, and redirects within
/// the server's origin only.
///
/// The head of a response is checked before its body is read, and the body is read only as fast as it is processed. A
/// hostile server costs no more memory than the limit of the request and a few network buffers.
public struct OutboundHTTP: Sendable {
  private let client: HTTPClient
  /// The addresses to connect to, by host; nil where hosts are resolved.
  private let addresses: [String: String]?

  /// Opens a client for as long as `body` runs, and then closes its connections.
  ///
  /// `HTTPClient.shared` is unsuitable: it follows redirects to other origins and decompresses responses, and neither
  /// can be disabled for a request.
  /// - Parameters:
  ///   - idle: the longest time without data from the server.
  ///   - addresses: the address to connect to for each host, as it is written in URLs; other hosts are refused. Nil to
  ///     resolve hosts. Certificates are checked for the host.
  public static func withClient<Result>(
    idle: Duration = .seconds(30), addresses: [String: String]? = nil, _ body: (OutboundHTTP) async throws -> Result
  ) async throws -> Result {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    tls.certificateVerification = .fullVerification
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(10), read: TimeAmount(idle)), decompression: .disabled)
    configuration.httpVersion = .http1Only
    configuration.dnsOverride = addresses ?? [:]
    // The caller decides when to retry.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.http1_1ConnectionDebugInitializer = { channel in
      channel.eventLoop.submit { try FramingLimit.add(to: channel) }
    }
    return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
      try await body(OutboundHTTP(client: client, addresses: addresses))
    }
  }

  /// Sends a request, and passes the body of the response on piece by piece.
  ///
  /// The body is read for a status of 2xx only.
  /// - Parameters:
  ///   - limit: the maximum bytes of the body.
  ///   - total: the time limit of the response, including redirects.
  ///   - head: receives status and fields before the body; an error that it throws ends the transfer and is rethrown.
  ///   - body: receives each piece, in order; the next one is read when it returns.
  /// - Throws: ``HTTPClientError``, `CancellationError`, and errors of `head` and `body`.
  public func send(
    _ request: OutboundRequest, limit: Int, total: Duration,
    head: @escaping @Sendable (OutboundResponse) throws -> Void, body: @escaping @Sendable (Data) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await exchange(request, limit: limit, head: head, body: body) }
      group.addTask {
        try await Task.sleep(for: total)
        throw HTTPClientError.tookTooLong(total)
      }
      defer { group.cancelAll() }
      try await group.next()
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
    let received = Mutex<(head: OutboundResponse?, body: Data)>((nil, Data()))
    try await send(request, limit: limit, total: total) { head in
      received.withLock { $0.head = head }
    } body: { data in
      received.withLock { $0.body += data }
    }
    let (head, body) = received.withLock { $0 }
    guard let head else { throw HTTPClientError.endedEarly }
    return (head, body)
  }

  private func exchange(
    _ request: OutboundRequest, limit: Int, head: @Sendable (OutboundResponse) throws -> Void,
    body: @Sendable (Data) throws -> Void
  ) async throws {
    let response = try await answer(request)
    let answer = OutboundResponse(status: Int(response.status.code), fields: response.headers)
    guard (200..<300).contains(answer.status) else { return try head(answer) }
    try answer.checkBody(limit: limit)
    try head(answer)
    var received = 0
    var pieces = response.body.makeAsyncIterator()
    while let piece = try await Self.next(&pieces) {
      received += piece.readableBytes
      guard received <= limit else { throw HTTPClientError.tooLong(limit: limit) }
      try body(Data(piece.readableBytesView))
    }
    // The pieces of a cancelled request end without an error.
    try Task.checkCancellation()
  }

  private static func next(_ pieces: inout HTTPClientResponse.Body.AsyncIterator) async throws -> ByteBuffer? {
    do { return try await pieces.next() } catch { throw HTTPClientError.translated(error) }
  }

  /// The response to a request, after the redirects that it follows.
  private func answer(_ request: OutboundRequest) async throws -> HTTPClientResponse {
    var (url, left) = (request.url, request.redirects)
    while true {
      let response = try await execute(request, at: url)
      guard left > 0, let next = response.redirect(from: url) else { return response }
      (url, left) = (next, left - 1)
    }
  }

  private func execute(_ request: OutboundRequest, at url: URL) async throws -> HTTPClientResponse {
    guard WebOrigin(url) != nil else { throw HTTPClientError.unsupportedAddress }
    if let addresses, url.host.flatMap({ addresses[$0] }) == nil { throw HTTPClientError.unsupportedAddress }
    var wire = HTTPClientRequest(url: url.absoluteString)
    wire.method = HTTPMethod(rawValue: request.method)
    for (name, value) in request.fields { wire.headers.replaceOrAdd(name: name, value: value) }
    wire.headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
    wire.headers.replaceOrAdd(name: "User-Agent", value: "ringfence")
    wire.body = request.body.map { .bytes(ByteBuffer(bytes: $0)) }
    do {
      return try await execute(wire)
    } catch {
      throw HTTPClientError.translated(error)
    }
  }

  private func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    // `send` limits the head and the body together.
    do {
      return try await client.execute(request, deadline: .distantFuture)
    } catch  where request.body == nil && Self.isClosed(error) {
      // A pooled connection that the server has closed in the meantime. A request without a body may be sent again (RFC
      // 9112, 9.3.1).
      return try await client.execute(request, deadline: .distantFuture)
    }
  }

  private static func isClosed(_ error: any Error) -> Bool {
    switch error {
    case ChannelError.ioOnClosedChannel: true
    case let error as AsyncHTTPClient.HTTPClientError: error == .remoteConnectionClosed
    case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode)
    default: false
    }
  }
}

extension HTTPClientResponse {
  /// The target of a redirect; nil for a response that is not a redirect, and for another origin.
  fileprivate func redirect(from url: URL) -> URL? {
    guard [301, 302, 303, 307, 308].contains(status.code), let location = headers.first(name: "Location"),
      let next = URL(string: location, relativeTo: url)?.absoluteURL, next.user == nil,
      let origin = WebOrigin(next), origin == WebOrigin(url)
    else { return nil }
    return next
  }
}

/// A request to another server.
public struct OutboundRequest: Sendable {
  /// The method, such as `POST`.
  public var method: String
  /// The URL, with http or https.
  public var url: URL
  /// Fields by name.
  public var fields: [String: String]
  /// The body; nil for none.
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

/// The head of a response: its status and fields.
public struct OutboundResponse: Sendable {
  /// The status, such as 200.
  public let status: Int
  private let fields: HTTPHeaders

  init(status: Int, fields: HTTPHeaders) {
    self.status = status
    self.fields = fields
  }

  /// The first field of a name.
  /// - Parameter name: in any case.
  public subscript(name: String) -> String? { fields.first(name: name) }

  /// The error that corresponds to the status.
  public var failure: HTTPClientError {
    .status(status, retryAfter: self["Retry-After"].flatMap { Int($0) })
  }

  /// Refuses a body that is encoded, since its length does not limit the decoded length, and one that is announced to
  /// be longer than the limit.
  func checkBody(limit: Int) throws(HTTPClientError) {
    let encodings = fields[canonicalForm: "Content-Encoding"] + fields[canonicalForm: "Transfer-Encoding"]
    if let encoding = encodings.first(where: { !["identity", "chunked"].contains($0.lowercased()) }) {
      throw .encoded(String(encoding))
    }
    // Digits only, as the HTTP parser has checked; nil is a number beyond 64 bits.
    let lengths = fields[canonicalForm: "Content-Length"].map { Int($0) ?? .max }
    if lengths.contains(where: { $0 > limit }) { throw .tooLong(limit: limit) }
  }
}
