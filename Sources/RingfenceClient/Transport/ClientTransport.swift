// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request of the client.
public struct ClientRequest: Sendable {
  /// The method, such as `POST`.
  public var method = "GET"
  /// The address.
  public var url: URL
  /// The header fields by name.
  public var fields: [String: String] = [:]
  /// The body; nil for none.
  public var body: Data?

  /// Creates a request.
  /// - Parameters:
  ///   - method: such as `POST`.
  ///   - url: the address.
  ///   - fields: the header fields by name.
  ///   - body: the body.
  public init(_ method: String = "GET", _ url: URL, fields: [String: String] = [:], body: Data? = nil) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}

/// The status and the header fields of a response.
public struct ClientHead: Sendable {
  /// The status, such as 200.
  public let status: Int
  private let fields: [String: String]

  /// Creates the head of a response.
  /// - Parameters:
  ///   - status: such as 200.
  ///   - fields: the header fields by name, in any case.
  public init(status: Int, fields: [String: String] = [:]) {
    self.status = status
    self.fields = Dictionary(fields.map { ($0.lowercased(), $1) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the value of a header field.
  /// - Parameter name: in any case.
  public subscript(name: String) -> String? { fields[name.lowercased()] }

  /// Refuses a body that is compressed, because its length does not limit the expanded length, and a body whose
  /// declared length exceeds the limit.
  /// - Throws: ``ClientError/network(_:)``.
  func checkBody(limit: Int) throws(ClientError) {
    let encoding = self["Content-Encoding"]?.lowercased() ?? "identity"
    guard encoding == "identity" else { throw .network("The answer is compressed, which was not asked for.") }
    guard self["Content-Length"].map({ Int($0) ?? .max }) ?? 0 <= limit else {
      throw .network("The answer is too long.")
    }
  }

  /// Returns the seconds that the server requests to wait; nil when it does not.
  /// - Parameter now: the time from which a date counts.
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

/// Sends requests. An app may provide its own transport.
public protocol ClientTransport: Sendable {
  /// Sends a request and passes the response on piece by piece. A redirect is not followed: it is the response.
  /// - Parameters:
  ///   - request: the request.
  ///   - head: receives status and fields before the body. An error that it throws ends the transfer and is rethrown.
  ///   - body: receives each piece, in order. The transport must not read the next piece before it returns; otherwise a
  ///     hostile server could fill the memory.
  /// - Throws: the errors of `head` and `body`, at once; any other error means that there was no complete response.
  func send(
    _ request: ClientRequest, head: @escaping @Sendable (ClientHead) throws -> Void,
    body: @escaping @Sendable (Data) throws -> Void
  ) async throws
}

extension ClientTransport {
  /// Sends a request with a short response.
  /// - Parameter limit: the greatest size of the body in bytes.
  /// - Returns: the response; its body is empty unless the status is 2xx.
  /// - Throws: ``ClientError/network(_:)``, `CancellationError`.
  func send(_ request: ClientRequest, limit: Int) async throws -> (head: ClientHead, body: Data) {
    let answer = CollectedAnswer(limit: limit)
    do {
      try await send(request, head: answer.take, body: answer.take)
    } catch is UnneededBody {
      // The body is not needed.
    } catch let error as ClientError {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // The description of the error may contain an address, and an address a number.
      throw ClientError.network("The connection failed.")
    }
    return try answer.whole()
  }
}

/// Ends a transfer whose body is not needed.
private struct UnneededBody: Error {}

/// A short response.
private final class CollectedAnswer: @unchecked Sendable {
  // Unchecked: accessed only under the lock.
  private let lock = NSLock()
  private let limit: Int
  private var head: ClientHead?
  private var body = Data()

  init(limit: Int) { self.limit = limit }

  func take(_ head: ClientHead) throws {
    lock.withLock { self.head = head }
    guard (200..<300).contains(head.status) else { throw UnneededBody() }
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

/// The pause after failures. It doubles from two seconds to an hour and half of it is random, so that phones that lost
/// the server at the same time do not all return at the same time.
struct Backoff: Sendable {
  private(set) var failures = 0
  private static let first = 2.0
  private static let longest = 3_600.0
  /// The longest pause that a server may request, in seconds.
  private static let longestAsked = 86_400.0

  mutating func succeed() { failures = 0 }

  /// Counts a failure and returns the next pause.
  /// - Parameters:
  ///   - asked: the seconds of `Retry-After`.
  ///   - chance: a random value, 0 to 1.
  /// - Returns: seconds; at least the requested ones.
  mutating func fail(asked: Double?, chance: Double) -> Double {
    failures += 1
    let step = min(Self.longest, Self.first * pow(2, Double(min(failures - 1, 20))))
    let own = step * (0.5 + chance / 2)
    guard let asked, asked > 0 else { return own }
    let bounded = min(asked, Self.longestAsked)
    return max(own, bounded * (1 + chance / 10))
  }
}
