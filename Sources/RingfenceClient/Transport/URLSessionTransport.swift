// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with URLSession: no cookies, no cache, no redirects.
///
/// Each request has a session and a connection of its own. On Linux, a session that reconnects after the server has
/// closed a connection may receive nothing until the timeout. A phone sends few requests per day.
public struct URLSessionTransport: ClientTransport {
  private let idle: Double
  private let whole: Double

  /// Creates a transport.
  /// - Parameters:
  ///   - idle: the longest pause of a response, in seconds.
  ///   - whole: the longest duration of a response, in seconds.
  public init(idle: Double = 30, whole: Double = 600) {
    self.idle = idle
    self.whole = whole
  }

  private func makeSession(_ delegate: TransferDelegate) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.timeoutIntervalForRequest = idle
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: TransferDelegate.makeQueue())
  }

  /// Sends a request; see ``ClientTransport``. On Linux, Foundation collects the body of a redirect before it reports
  /// the redirect: there, only the duration is limited.
  public func send(
    _ request: ClientRequest, head: @escaping @Sendable (ClientHead) throws -> Void,
    body: @escaping @Sendable (Data) throws -> Void
  ) async throws {
    var wire = URLRequest(url: request.url)
    wire.httpMethod = request.method
    wire.httpBody = request.body
    for (name, value) in request.fields { wire.setValue(value, forHTTPHeaderField: name) }
    wire.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    wire.setValue("ringfence-client", forHTTPHeaderField: "User-Agent")
    let delegate = TransferDelegate(head: head, body: body)
    let session = makeSession(delegate)
    let task = session.dataTask(with: wire)
    // On Linux this call waits while the session reads without a pause; the caller must not wait.
    defer { DispatchQueue.global().async { session.invalidateAndCancel() } }
    let whole = whole
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            delegate.start { continuation.resume(with: $0) }
            task.resume()
          }
        } onCancel: {
          delegate.finish(.failure(CancellationError()))
        }
      }
      group.addTask {
        // URLSession's own timeout has no effect on Linux.
        try await Task.sleep(nanoseconds: UInt64(max(0, min(whole, 1e9)) * 1e9))
        throw ClientError.network("The answer took too long.")
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}

/// The delegate of one transfer. The transfer ends with the first of: an error of `head` or `body`, the cancellation,
/// the session's completion.
private final class TransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // Unchecked: mutable state is accessed only under the lock.
  private let lock = NSLock()
  private let head: @Sendable (ClientHead) throws -> Void
  private let body: @Sendable (Data) throws -> Void
  private var done: (@Sendable (Result<Void, any Error>) -> Void)?
  private var result: Result<Void, any Error>?
  private var expected: Int?
  private var received = 0
  private var isAnswered = false

  init(head: @escaping @Sendable (ClientHead) throws -> Void, body: @escaping @Sendable (Data) throws -> Void) {
    self.head = head
    self.body = body
  }

  /// The queue on which a session calls its delegate; nil for a queue of the session.
  static func makeQueue() -> OperationQueue? {
    #if canImport(FoundationNetworking)
      CallerThreadQueue()
    #else
      nil
    #endif
  }

  /// Sets the completion handler.
  /// - Parameter done: called once, at the end of the transfer.
  func start(_ done: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    lock.lock()
    let result = result
    if result == nil { self.done = done }
    lock.unlock()
    if let result { done(result) }
  }

  func finish(_ result: Result<Void, any Error>) {
    lock.lock()
    guard self.result == nil else { return lock.unlock() }
    self.result = result
    let done = done
    self.done = nil
    lock.unlock()
    done?(result)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
    // On Linux a session also reports interim responses (1xx); the final one follows.
    guard response.statusCode >= 200 else { return completionHandler(.allow) }
    let fields = response.allHeaderFields.compactMap { name, value in
      (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
    }
    let answer = ClientHead(
      status: response.statusCode, fields: Dictionary(fields, uniquingKeysWith: { first, _ in first }))
    lock.withLock {
      isAnswered = true
      expected = answer["Content-Length"].flatMap { Int($0) }
    }
    // On Linux the session continues reading; the end of the transfer cancels it.
    completionHandler(attempt { try head(answer) } ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { received += data.count }
    attempt { try body(data) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let isWhole = lock.withLock { error == nil && isAnswered }
    guard isWhole else { return finish(.failure(ClientError.network("The connection failed."))) }
    // A broken connection may look like an end.
    let isShort = lock.withLock { expected.map { received < $0 } ?? false }
    finish(isShort ? .failure(ClientError.network("The answer ended early.")) : .success(()))
  }

  /// Runs a callback, and ends the transfer when it throws.
  /// - Returns: whether the transfer continues.
  @discardableResult
  private func attempt(_ work: () throws -> Void) -> Bool {
    guard lock.withLock({ result == nil }) else { return false }
    do {
      try work()
      return true
    } catch {
      finish(.failure(error))
      return false
    }
  }
}

#if canImport(FoundationNetworking)
  /// Calls a session's delegate on the thread on which the session reads from the network.
  ///
  /// On Linux a session passes pieces to its delegate's queue as fast as they arrive, and a slow queue keeps them all
  /// in memory. A delegate that is called directly slows the reading down, and with it the sender.
  private final class CallerThreadQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ operation: Operation) { operation.start() }
  }
#endif
