// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import OutboundHTTP
import Storage
import Synchronization

/// Downloads a source's file into a private temporary file.
struct FeedDownload {
  /// The answer of the server.
  enum Outcome {
    /// The file has not changed since the last success.
    case unchanged
    /// A file, with the values by which the server recognizes it.
    case file(FeedFile, etag: String?, lastModified: String?)
  }

  /// Content types that are no lists: mostly the page of an error or of a sign-in.
  private static let foreignTypes = ["text/html", "application/xhtml", "image/", "audio/", "video/", "application/pdf"]
  /// The longest key, in bytes.
  private static let mostKeyBytes = 1_000

  let client: OutboundHTTP
  let folder: String
  let limits: FeedLimits

  /// - Parameters:
  ///   - since: the version of which changes are asked for; nil for the complete list.
  ///   - isConditional: whether an unchanged file need not be sent.
  /// - Throws: ``FeedFailure``, `CancellationError`.
  func run(_ feed: SourceFeed, since: Int64?, isConditional: Bool) async throws -> Outcome {
    let url = try Self.url(of: feed, since: since)
    // Redirects stay within the origin.
    guard feed.settings.options.keyFile == nil || WebOrigin(url)?.isPrivate == true else {
      throw FeedFailure.keyWithoutHTTPS
    }
    var request = OutboundRequest("GET", url)
    request.redirects = limits.redirects
    request.fields["Accept"] = "*/*"
    if isConditional {
      request.fields["If-None-Match"] = feed.state.etag
      request.fields["If-Modified-Since"] = feed.state.lastModified
    }
    request.fields["Authorization"] = try feed.settings.options.keyFile.map(Self.authorization)
    let file = try FeedFile(folder: folder)
    let head = Mutex<OutboundResponse?>(nil)
    do {
      try await client.send(request, limit: limits.fileBytes, total: limits.total) { answer in
        try Self.check(answer)
        head.withLock { $0 = answer }
      } body: { data in
        try data.withUnsafeBytes { try file.append($0) }
      }
    } catch let error as HTTPClientError {
      throw FeedFailure(error)
    }
    guard let head = head.withLock({ $0 }) else { throw FeedFailure.endedEarly }
    guard head.status != 304 else { return .unchanged }
    return .file(
      file, etag: head["ETag"].flatMap { Self.stored($0, atMost: 1_000) },
      lastModified: head["Last-Modified"].flatMap { Self.stored($0, atMost: 100) })
  }

  private static func url(of feed: SourceFeed, since: Int64?) throws(FeedFailure) -> URL {
    guard var parts = URLComponents(string: feed.settings.url) else { throw .invalidAddress }
    if let since {
      let others = (parts.queryItems ?? []).filter { $0.name != "since" }
      parts.queryItems = others + [URLQueryItem(name: "since", value: "\(since)")]
    }
    guard let url = parts.url else { throw .invalidAddress }
    return url
  }

  private static func authorization(_ path: String) throws(FeedFailure) -> String {
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: mostKeyBytes + 1), data.count <= mostKeyBytes
    else { throw .keyUnreadable(path) }
    let key = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .keyUnreadable(path) }
    return "Bearer \(key)"
  }

  private static func check(_ head: OutboundResponse) throws(FeedFailure) {
    switch head.status {
    case 304: return
    // 206 is a part of the file.
    case 200: break
    // Redirects within the origin have been followed.
    case 300..<400: throw .otherOrigin
    case let status: throw .unexpectedStatus(status)
    }
    let type = (head["Content-Type"] ?? "").lowercased()
    if foreignTypes.contains(where: type.hasPrefix) { throw .wrongType(String(type.prefix(100))) }
  }

  /// A field's value, if it can be stored and sent back.
  private static func stored(_ value: String, atMost bytes: Int) -> String? {
    value.utf8.count <= bytes && value.utf8.allSatisfy { (0x20...0x7e).contains($0) } ? value : nil
  }
}

extension FeedFailure {
  fileprivate init(_ error: HTTPClientError) {
    self =
      switch error {
      case .unsupportedAddress: .invalidAddress
      case .connectionFailed(let reason): .connectionFailed(reason)
      case .untrusted: .untrustedCertificate
      case .silent: .silent
      case .tookTooLong(let limit): .tookTooLong(seconds: limit.components.seconds)
      case .endedEarly: .endedEarly
      case .malformed, .rangeRefused: .malformedAnswer
      case .encoded(let encoding): .unexpectedEncoding(encoding)
      case .tooLong(let limit): .answerTooLong(maximumBytes: limit)
      case .status(let status, _): .unexpectedStatus(status)
      }
  }
}
