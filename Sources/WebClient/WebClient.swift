public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Asks other servers over http and https. It follows a redirect to the same host only, keeps no cookies and no cache,
/// and asks for bytes as they lie there.
///
/// Each request has a session and a connection of its own: on Linux a session that opens a connection anew, after the
/// server has closed the one before, may hear nothing of it until the time is over.
public struct WebClient: Sendable {
  private let idle: Duration
  private let redirects: Int

  /// - Parameters:
  ///   - idle: how long a server may say nothing.
  ///   - redirects: how many are followed.
  public init(idle: Duration = .seconds(30), redirects: Int = 5) {
    self.idle = idle
    self.redirects = redirects
  }

  private func makeSession(_ transfers: Transfers) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.timeoutIntervalForRequest = idle / .seconds(1)
    return URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
  }

  /// Asks, and hands the body over piece by piece.
  /// - Parameters:
  ///   - head: told status and fields before the body; what it throws ends the transfer, and the caller gets it.
  ///   - body: told each piece, in order, on a thread that may block.
  /// - Throws: ``WebFault`` for what the network did, and what `head` and `body` throw.
  public func send(
    _ request: URLRequest, head: @escaping @Sendable (WebHead) throws -> Void,
    body: @escaping @Sendable (Data) throws -> Void
  ) async throws {
    guard ["http", "https"].contains(request.url?.scheme?.lowercased() ?? "") else {
      throw WebFault("The address must begin with http:// or https://.", isTransient: false)
    }
    var request = request
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    request.setValue("ringfence", forHTTPHeaderField: "User-Agent")
    let transfers = Transfers(redirects: redirects)
    let session = makeSession(transfers)
    // What is under way has ended by then, or nobody wants it any more.
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: request)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        transfers.add(task, Transfer(head: head, body: body) { continuation.resume(with: $0) })
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }

  /// Asks for something short.
  /// - Parameter limit: the most bytes of the body that are taken.
  /// - Throws: ``WebFault``; a longer body is one that is not transient.
  public func send(_ request: URLRequest, limit: Int) async throws -> (head: WebHead, body: Data) {
    let answer = Collected(limit: limit)
    try await send(request, head: answer.take, body: answer.take)
    return try answer.whole()
  }
}

/// Status and fields of an answer.
public struct WebHead: Sendable {
  /// Such as 200.
  public let status: Int
  private let fields: [String: String]

  init(_ response: HTTPURLResponse) {
    status = response.statusCode
    fields = Dictionary(
      response.allHeaderFields.compactMap { name, value in
        guard let name = name as? String, let value = value as? String else { return nil }
        return (name.lowercased(), value)
      }, uniquingKeysWith: { first, _ in first })
  }

  /// - Parameter name: in any case.
  public subscript(name: String) -> String? { fields[name.lowercased()] }

  /// Seconds to wait that the server asks for; nil when it does not, or gives a date.
  public var retryAfter: Int? { self["Retry-After"].flatMap { Int($0) } }

  /// Whether the same request may be answered better later.
  public var isTransient: Bool { status >= 500 || status == 429 || status == 408 }
}

/// Why there is no answer, or not a whole one.
public struct WebFault: Error, Sendable, CustomStringConvertible {
  /// What happened, in plain English.
  public let description: String
  /// Whether it may go better a little later.
  public let isTransient: Bool
  /// Seconds to wait that the server asks for.
  public let retryAfter: Int?

  /// - Parameters: see the properties.
  public init(_ description: String, isTransient: Bool, retryAfter: Int? = nil) {
    self.description = description
    self.isTransient = isTransient
    self.retryAfter = retryAfter
  }
}
