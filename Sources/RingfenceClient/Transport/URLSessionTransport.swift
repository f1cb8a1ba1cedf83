public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Carries requests by URLSession: no cookies, no cache, no redirect.
///
/// Each request has a session and a connection of its own: on Linux a session that opens a connection anew, after the
/// server has closed the one before, may hear nothing of it until the time is over. A phone asks a few times a day.
public struct URLSessionTransport: ClientTransport {
  private let idle: Double
  private let whole: Double

  /// - Parameters:
  ///   - idle: seconds for which a server may say nothing.
  ///   - whole: seconds that one answer may take.
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

  /// See ``ClientTransport``. On Linux, Foundation collects the body of a redirect before it tells of it: there only time
  /// bounds it.
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
    // On Linux this waits for as long as the session reads without a pause, and the caller shall not.
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
        // URLSession's own bound does nothing on Linux.
        try await Task.sleep(for: .seconds(whole))
        throw ClientError.network("The answer took too long.")
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}

/// Hears of one transfer. Its end is the first of: an error of `head` or `body`, the cancellation, the session's word.
private final class TransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // Unchecked: what changes is touched under the lock only.
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

  /// The queue that a session calls its delegate on; nil for one of the session's own.
  static func makeQueue() -> OperationQueue? {
    #if canImport(FoundationNetworking)
      CallingQueue()
    #else
      nil
    #endif
  }

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
    // On Linux a session reports interim answers too (1xx); the final one is still to come.
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
    // Linux reads on all the same; the end of the transfer cancels it.
    completionHandler(attempt { try head(answer) } ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { received += data.count }
    attempt { try body(data) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let isWhole = lock.withLock { error == nil && isAnswered }
    guard isWhole else { return finish(.failure(ClientError.network("The connection failed."))) }
    // A connection that breaks may look like an end.
    let isShort = lock.withLock { expected.map { received < $0 } ?? false }
    finish(isShort ? .failure(ClientError.network("The answer ended early.")) : .success(()))
  }

  /// - Returns: whether more is wanted.
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
  /// Calls a session's delegate where the session reads from the network.
  ///
  /// On Linux a session hands pieces to its delegate's queue as fast as they come, and a queue that lags holds them all in
  /// memory. Called in its place, the delegate holds up the reading, and with it the sender.
  private final class CallingQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ operation: Operation) { operation.start() }
  }
#endif
