// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

package protocol OutboundTransport: Sendable {
  /// Sends a request, and follows no redirect.
  /// - Parameters:
  ///   - limit: the maximum bytes of the body.
  ///   - head: receives the head of a response with a status of 2xx, before its body.
  ///   - body: receives each piece of such a body, in order; the next one is read when it returns.
  /// - Returns: the head of the response; the body of another status is not read.
  /// - Throws: ``HTTPClientError``, `CancellationError`, and errors of `head` and `body`.
  func exchange(
    _ request: OutboundRequest, limit: Int, total: Duration,
    head: @escaping @Sendable (OutboundResponse) throws -> Void, body: @escaping @Sendable (Data) throws -> Void
  ) async throws -> OutboundResponse
}

/// Requests to other servers over http and https: no cookies, no cache, no compression, and redirects within the server's
/// origin only.
///
/// The head of a response is checked before its body is read, and the body is read only as fast as it is processed. A
/// hostile server costs no more memory than the limit of the request and a few network buffers.
public final class OutboundHTTP: Sendable {
  private let transport: any OutboundTransport

  package init(_ transport: any OutboundTransport) { self.transport = transport }

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
    let deadline = ContinuousClock.now + total
    var (request, left) = (request, request.redirects)
    do {
      while true {
        guard WebOrigin(request.url) != nil else { throw HTTPClientError.unsupportedAddress }
        let answer = try await transport.exchange(
          request, limit: limit, total: deadline - .now, head: head, body: body)
        guard left > 0, let next = answer.redirect(from: request.url) else {
          if !answer.isSuccess { try head(answer) }
          return answer
        }
        (request.url, left) = (next, left - 1)
      }
    } catch HTTPClientError.tookTooLong {
      throw HTTPClientError.tookTooLong(total)
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
  package static let downloadRedirects = 5

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

  package init(status: Int, fields: [(name: String, value: String)]) { (self.status, self.fields) = (status, fields) }

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
  package func checkBody(limit: Int) throws(HTTPClientError) {
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
  package var hasLength: Bool {
    status == 204 || !values(of: "Content-Length").isEmpty || !values(of: "Transfer-Encoding").isEmpty
  }

  private func list(_ name: String) -> [String] {
    values(of: name).flatMap { $0.split(separator: ",") }.map { Self.trimmed($0) }
  }

  /// - Parameter line: of a head, without its end.
  package static func field<Line: Collection<UInt8>>(
    of line: Line
  ) throws(HTTPClientError) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), !line[..<colon].contains(where: { $0 <= 0x20 }) else {
      throw .malformed
    }
    let value = String(decoding: line[line.index(after: colon)...], as: UTF8.self)
    return (String(decoding: line[..<colon], as: UTF8.self), trimmed(value))
  }

  /// A value without the spaces and tabs around it (RFC 9110, 5.5).
  private static func trimmed(_ value: some StringProtocol) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(value.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }

  package var isSuccess: Bool { (200..<300).contains(status) }

  /// The target of a redirect; nil for a response that is not a redirect, and for another origin.
  fileprivate func redirect(from url: URL) -> URL? {
    guard [301, 302, 303, 307, 308].contains(status), let location = self["Location"],
      let next = URL(string: location, relativeTo: url)?.absoluteURL, next.user == nil,
      let origin = WebOrigin(next), origin == WebOrigin(url)
    else { return nil }
    return next
  }
}
