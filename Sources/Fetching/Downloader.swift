// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Support
import OutboundHTTP
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Downloads files of a source: limited in size and time, retried with growing pauses, resumed after interruptions.
struct Downloader: UpdateTransport {
  let client: OutboundHTTP
  let source: UpdateSource
  /// The app's key, sent only to its own server.
  let key: AppKey?
  /// The most retries of one request without progress.
  let retries: Int
  var product: ClientProduct?
  let fetched = Counter()

  /// A short file.
  enum Document {
    case missing
    /// The server says that it still has the entity tag of the request.
    case unchanged
    case content(Data, etag: String?)
  }

  /// The time limits of one response. A part of a file that takes longer is resumed.
  private static let documentTotal = Duration.seconds(300)
  private static let partTotal = Duration.seconds(3_600)

  /// Counts received bytes.
  final class Counter: Sendable {
    private let bytes = Mutex(0)
    var total: Int { bytes.withLock { $0 } }
    func add(_ count: Int) { bytes.withLock { $0 += count } }
  }

  func document(_ path: String, limit: Int, fields: [String: String]) async throws -> Data? {
    guard
      case .content(let data, _) = try await document(source.url(path), limit: limit, unless: nil, fields: fields)
    else {
      return nil
    }
    return data
  }

  func missing(_ path: String) -> any Error { FetchError.missing(source.url(path).absoluteString) }

  func isAboutFile(_ error: any Error) -> Bool {
    switch error as? FetchError {
    case .missing, .refused: true
    default: false
    }
  }

  /// Downloads a short file, unless it still has an entity tag.
  /// - Throws: ``FetchError``.
  func document(
    _ url: URL, limit: Int, unless etag: String?, fields: [String: String] = [:]
  ) async throws -> Document {
    if source.isFile { return try LocalFile.read(url, limit: limit).map { .content($0, etag: nil) } ?? .missing }
    var request = request(url)
    request.fields.merge(fields) { _, new in new }
    request.fields["If-None-Match"] = etag
    var attempt = 0
    while true {
      do {
        let (head, body) = try await client.send(request, limit: limit, total: Self.documentTotal)
        if let refusal = refusal(head, url) { throw refusal }
        switch head.status {
        case 200:
          fetched.add(body.count)
          return .content(body, etag: head["ETag"])
        case 304 where etag != nil: return .unchanged
        // An object store returns 403 for a missing file.
        case 403, 404, 410: return .missing
        default: throw head.failure
        }
      } catch let fault as HTTPClientError {
        attempt = try await pause(after: fault, url, attempt)
      }
    }
  }

  /// - Throws: ``FetchError``.
  func file(_ relative: String, bytes: Int, to path: String) async throws -> Bool {
    let url = source.url(relative)
    if source.isFile {
      try LocalFile.copy(url, limit: bytes, to: path)
      return true
    }
    let part = try LocalFile.failing { try PartialFile(path, limit: bytes, mode: 0o644) }
    let isNew = part.length == 0
    var attempt = 0
    while part.length < bytes {
      let before = part.length
      do {
        try await continuePart(part, url)
      } catch HTTPClientError.tooLong {
        throw part.tooLong
      } catch let fault as HTTPClientError {
        attempt = try await pause(after: fault, url, part.length > before ? 0 : attempt)
      }
    }
    try LocalFile.failing { try part.finish() }
    return isNew
  }

  private func continuePart(_ part: PartialFile, _ url: URL) async throws {
    var request = request(url)
    let start = part.length
    // No If-Range: names are never reused, and the SHA-256 is checked at the end.
    if start > 0 { request.fields["Range"] = "bytes=\(start)-" }
    try await client.send(request, limit: part.limit, total: Self.partTotal) { head in
      if let refusal = refusal(head, url) { throw refusal }
      switch head.status {
      case 200: try LocalFile.failing { try part.restart() }
      case 206 where start > 0:
        guard head["Content-Range"]?.hasPrefix("bytes \(start)-") == true else {
          throw FetchError.network("\(url) answered with another part than was asked for. Delete the folder partial.")
        }
      case 403, 404, 410: throw FetchError.missing(url.absoluteString)
      case 416:
        try LocalFile.failing { try part.restart() }
        throw HTTPClientError.rangeRefused
      default: throw head.failure
      }
    } body: { data in
      guard try LocalFile.failing({ try part.append(data) }) else { throw part.tooLong }
      fetched.add(data.count)
    }
    // A response without a length that ended too early.
    if part.length == start, start < part.limit { throw HTTPClientError.endedEarly }
  }

  private func request(_ url: URL) -> OutboundRequest {
    var request = OutboundRequest("GET", url)
    request.redirects = OutboundRequest.downloadRedirects
    if let key, key.origin == WebOrigin(url) { request.fields["Authorization"] = key.authorization }
    return request
  }

  /// The error when the server requires a key. A 403 without problem details is an object store's.
  private func refusal(_ head: OutboundResponse, _ url: URL) -> FetchError? {
    let isProblem = head["Content-Type"]?.hasPrefix("application/problem+json") == true
    guard head.status == 401 || head.status == 403 && isProblem else { return nil }
    let server = WebOrigin(url)
    let name = server?.host ?? "The server"
    guard let key else { return .key(name, .none) }
    guard key.origin == server else { return .key(name, .isFor(key.origin)) }
    return .key(name, head.status == 403 ? .withoutScope : .unknown)
  }

  /// Waits before another attempt.
  /// - Returns: the number of attempts.
  private func pause(after fault: HTTPClientError, _ url: URL, _ attempt: Int) async throws -> Int {
    guard fault.isTransient, attempt < retries else {
      throw FetchError.request("\(url)", fault)
    }
    let growing = min(30, 0.25 * Double(1 << min(attempt, 10))) * Double.random(in: 0.8...1.2)
    let seconds = min(60, max(growing, Double(fault.retryAfter ?? 0)))
    try await Task.sleep(for: .seconds(seconds))
    return attempt + 1
  }
}
