public import Foundation

/// A request of the client.
public struct ClientRequest: Sendable {
  /// Such as `POST`.
  public var method = "GET"
  /// Where to.
  public var url: URL
  /// Fields by name.
  public var fields: [String: String] = [:]
  /// Its body.
  public var body: Data?

  /// - Parameters: see the properties.
  public init(_ method: String = "GET", _ url: URL, fields: [String: String] = [:], body: Data? = nil) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}

/// Status and fields of an answer.
public struct ClientHead: Sendable {
  /// Such as 200.
  public let status: Int
  private let fields: [String: String]

  /// - Parameter fields: by name, in any case.
  public init(status: Int, fields: [String: String] = [:]) {
    self.status = status
    self.fields = Dictionary(fields.map { ($0.lowercased(), $1) }, uniquingKeysWith: { first, _ in first })
  }

  /// - Parameter name: in any case.
  public subscript(name: String) -> String? { fields[name.lowercased()] }

  /// Refuses a body that is compressed, since its length says nothing of the length that it unpacks to, and one that is
  /// announced to be longer than the limit.
  /// - Throws: ``ClientError/network(_:)``.
  func checkBody(limit: Int) throws(ClientError) {
    let encoding = self["Content-Encoding"]?.lowercased() ?? "identity"
    guard encoding == "identity" else { throw .network("The answer is compressed, which was not asked for.") }
    guard self["Content-Length"].map({ Int($0) ?? .max }) ?? 0 <= limit else {
      throw .network("The answer is too long.")
    }
  }

  /// Seconds to wait that the server asks for; nil when it does not.
  /// - Parameter now: what a date is held against.
  func retryAfter(at now: Date) -> Double? {
    guard let text = self["Retry-After"] else { return nil }
    if let seconds = Double(text), seconds.isFinite { return max(0, seconds) }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.date(from: text).map { max(0, $0.timeIntervalSince(now)) }
  }
}

/// Carries requests; an app may bring its own.
public protocol ClientTransport: Sendable {
  /// Asks, and hands the answer over piece by piece. A redirect is not followed: it is the answer.
  /// - Parameters:
  ///   - head: told status and fields before the body; what it throws ends the transfer, and the caller gets it.
  ///   - body: told each piece, in order. The next one is read when it returns, or a hostile server fills the memory.
  /// - Throws: what `head` and `body` throw, at once; anything else means that there was no whole answer.
  func send(
    _ request: ClientRequest, head: @escaping @Sendable (ClientHead) throws -> Void,
    body: @escaping @Sendable (Data) throws -> Void
  ) async throws
}

extension ClientTransport {
  /// Asks for something short.
  /// - Parameter limit: the most bytes of the body that are taken.
  /// - Returns: the body is empty unless the status is 2xx.
  /// - Throws: ``ClientError/network(_:)``, `CancellationError`.
  func send(_ request: ClientRequest, limit: Int) async throws -> (head: ClientHead, body: Data) {
    let answer = CollectedAnswer(limit: limit)
    do {
      try await send(request, head: answer.take, body: answer.take)
    } catch is UnwantedBody {
      // The head says it all.
    } catch let error as ClientError {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // Its own words may hold an address, and an address a number.
      throw ClientError.network("The connection failed.")
    }
    return try answer.whole()
  }
}

/// Ends a transfer whose head says it all.
private struct UnwantedBody: Error {}

/// A short answer, whole.
private final class CollectedAnswer: @unchecked Sendable {
  // Unchecked: touched under the lock only.
  private let lock = NSLock()
  private let limit: Int
  private var head: ClientHead?
  private var body = Data()

  init(limit: Int) { self.limit = limit }

  func take(_ head: ClientHead) throws {
    lock.withLock { self.head = head }
    guard (200..<300).contains(head.status) else { throw UnwantedBody() }
    try head.checkBody(limit: limit)
  }

  func take(_ data: Data) throws {
    try lock.withLock {
      guard body.count + data.count <= limit else { throw ClientError.network("The answer is too long.") }
      body += data
    }
  }

  func whole() throws -> (head: ClientHead, body: Data) {
    try lock.withLock {
      guard let head else { throw ClientError.network("There was no answer.") }
      return (head, body)
    }
  }
}
