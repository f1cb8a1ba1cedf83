import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Hands what a session says to the transfer it is about.
final class Transfers: NSObject, URLSessionDataDelegate, Sendable {
  private let redirects: Int
  private let open = Mutex<[Int: Transfer]>([:])

  init(redirects: Int) {
    self.redirects = redirects
  }

  func add(_ task: URLSessionTask, _ transfer: Transfer) {
    open.withLock { $0[task.taskIdentifier] = transfer }
  }

  private func transfer(_ task: URLSessionTask) -> Transfer? { open.withLock { $0[task.taskIdentifier] } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    let former = task.currentRequest?.url ?? task.originalRequest?.url
    let isNear =
      request.url?.host == former?.host && request.url?.scheme == former?.scheme
      && request.url?.port == former?.port
    // Without the new request the redirect itself is the answer.
    guard isNear, transfer(task)?.takeRedirect(of: redirects) == true else { return completionHandler(nil) }
    // The same server asks for the same key; some systems leave it out.
    var request = request
    let key = task.originalRequest?.value(forHTTPHeaderField: "Authorization")
    request.setValue(key, forHTTPHeaderField: "Authorization")
    completionHandler(request)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse, transfer(dataTask)?.take(WebHead(response)) == true else {
      return completionHandler(.cancel)
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if transfer(dataTask)?.take(data) != true { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    open.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.finish(error)
  }
}

/// One request under way.
final class Transfer: Sendable {
  private struct State {
    var head: WebHead?
    var received = 0
    var failure: (any Error)?
    var redirects = 0
  }

  private let head: @Sendable (WebHead) throws -> Void
  private let body: @Sendable (Data) throws -> Void
  private let done: @Sendable (Result<Void, any Error>) -> Void
  private let state = Mutex(State())

  init(
    head: @escaping @Sendable (WebHead) throws -> Void, body: @escaping @Sendable (Data) throws -> Void,
    done: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    self.head = head
    self.body = body
    self.done = done
  }

  func takeRedirect(of most: Int) -> Bool {
    state.withLock { state in
      state.redirects += 1
      return state.redirects <= most
    }
  }

  /// - Returns: whether the body is wanted.
  func take(_ head: WebHead) -> Bool {
    state.withLock { $0.head = head }
    return attempt { try self.head(head) }
  }

  /// - Returns: whether more is wanted.
  func take(_ data: Data) -> Bool {
    state.withLock { $0.received += data.count }
    return attempt { try body(data) }
  }

  private func attempt(_ work: () throws -> Void) -> Bool {
    guard state.withLock({ $0.failure == nil }) else { return false }
    do {
      try work()
      return true
    } catch {
      state.withLock { $0.failure = error }
      return false
    }
  }

  func finish(_ error: (any Error)?) {
    let state = state.withLock { $0 }
    if let failure = state.failure { return done(.failure(failure)) }
    if let error = error as? URLError, error.code == .cancelled { return done(.failure(CancellationError())) }
    if let error {
      return done(.failure(WebFault("The connection failed: \(error.localizedDescription)", isTransient: true)))
    }
    guard let head = state.head else { return done(.failure(WebFault("There was no answer.", isTransient: true))) }
    // A connection that breaks may look like an end.
    if let length = head["Content-Length"].flatMap({ Int($0) }), state.received < length,
      head["Content-Encoding"] == nil
    {
      return done(.failure(WebFault("The answer ended early.", isTransient: true)))
    }
    done(.success(()))
  }
}

/// A short answer, whole.
final class Collected: Sendable {
  private let limit: Int
  private let answer = Mutex<(head: WebHead?, body: Data)>((nil, Data()))

  init(limit: Int) {
    self.limit = limit
  }

  func take(_ head: WebHead) { answer.withLock { $0.head = head } }

  func take(_ data: Data) throws {
    try answer.withLock { answer in
      guard answer.body.count + data.count <= limit else {
        throw WebFault("The answer is longer than \(limit) bytes.", isTransient: false)
      }
      answer.body += data
    }
  }

  func whole() throws -> (head: WebHead, body: Data) {
    let (head, body) = answer.withLock { $0 }
    guard let head else { throw WebFault("There was no answer.", isTransient: true) }
    return (head, body)
  }
}
