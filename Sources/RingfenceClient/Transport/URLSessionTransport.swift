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
    configuration.timeoutIntervalForResource = whole
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// See ``ClientTransport``.
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
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: wire)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        delegate.start { continuation.resume(with: $0) }
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }
}

/// Hears of one transfer.
private final class TransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // Unchecked: what changes is touched under the lock only.
  private let lock = NSLock()
  private let head: @Sendable (ClientHead) throws -> Void
  private let body: @Sendable (Data) throws -> Void
  private var done: (@Sendable (Result<Void, any Error>) -> Void)?
  private var failure: (any Error)?
  private var expected: Int?
  private var received = 0
  private var isAnswered = false

  init(head: @escaping @Sendable (ClientHead) throws -> Void, body: @escaping @Sendable (Data) throws -> Void) {
    self.head = head
    self.body = body
  }

  func start(_ done: @escaping @Sendable (Result<Void, any Error>) -> Void) { lock.withLock { self.done = done } }

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
    let fields = response.allHeaderFields.compactMap { name, value in
      (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
    }
    let answer = ClientHead(
      status: response.statusCode, fields: Dictionary(fields, uniquingKeysWith: { first, _ in first }))
    lock.withLock {
      isAnswered = true
      expected = answer["Content-Length"].flatMap { Int($0) }
    }
    completionHandler(attempt { try head(answer) } ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { received += data.count }
    if !attempt({ try body(data) }) { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    lock.lock()
    let (done, result) = (self.done, outcome(error))
    self.done = nil
    lock.unlock()
    done?(result)
  }

  private func outcome(_ error: (any Error)?) -> Result<Void, any Error> {
    if let failure { return .failure(failure) }
    if let error = error as? URLError, error.code == .cancelled { return .failure(CancellationError()) }
    guard error == nil, isAnswered else { return .failure(ClientError.network("The connection failed.")) }
    // A connection that breaks may look like an end.
    if let expected, received < expected { return .failure(ClientError.network("The answer ended early.")) }
    return .success(())
  }

  private func attempt(_ work: () throws -> Void) -> Bool {
    guard lock.withLock({ failure == nil }) else { return false }
    do {
      try work()
      return true
    } catch {
      lock.withLock { failure = error }
      return false
    }
  }
}
