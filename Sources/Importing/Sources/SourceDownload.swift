// SPDX-License-Identifier: Apache-2.0

import CallerPack
public import Curation
import Foundation
public import OutboundHTTP
import Storage
import Synchronization

/// Downloads a source's file into a private temporary file.
struct SourceDownload {
  /// The answer of the server.
  enum Outcome {
    /// The file has not changed since the last success.
    case unchanged
    /// A file, with the values by which the server recognizes it.
    case file(SourceFile, etag: String?, lastModified: String?)
  }

  /// Content types that are no lists: mostly the page of an error or of a sign-in.
  private static let foreignTypes = ["text/html", "application/xhtml", "image/", "audio/", "video/", "application/pdf"]
  /// The longest key, in bytes.
  private static let mostKeyBytes = 1_000

  let client: OutboundHTTP
  let folder: String
  let limits: SourceReadLimits

  /// - Parameters:
  ///   - since: the version of which changes are asked for; nil for the complete list.
  ///   - isConditional: whether an unchanged file need not be sent.
  /// - Throws: ``SourceFailure``, `CancellationError`.
  func run(
    _ settings: Source.Settings, _ state: Source.State, since: Int64?, isConditional: Bool
  ) async throws -> Outcome {
    let url = try Self.url(of: settings, since: since)
    guard settings.isPublic else { return try await run(settings, state, url, isConditional, by: client) }
    // The address that was checked is the one that is used: a name could resolve to another one a moment later.
    let host = url.host ?? ""
    let address = try await PublicAddress.resolve(host)
    return try await OutboundHTTP.withClient(idle: limits.idle, addresses: [host: address]) {
      try await run(settings, state, url, isConditional, by: $0)
    }
  }

  private func run(
    _ settings: Source.Settings, _ state: Source.State, _ url: URL, _ isConditional: Bool,
    by client: OutboundHTTP
  ) async throws -> Outcome {
    // Redirects stay within the origin.
    guard settings.options.keyFile == nil || WebOrigin(url)?.isPrivate == true else {
      throw SourceFailure.keyWithoutHTTPS
    }
    var request = OutboundRequest("GET", url)
    request.redirects = limits.redirects
    request.fields["Accept"] = "*/*"
    if isConditional {
      request.fields["If-None-Match"] = state.etag
      request.fields["If-Modified-Since"] = state.lastModified
    }
    request.fields["Authorization"] = try settings.options.keyFile.map { "Bearer \(try Self.key(in: $0))" }
    let file = try SourceFile(folder: folder)
    let head = Mutex<OutboundResponse?>(nil)
    do {
      try await client.send(request, limit: limits.fileBytes, total: limits.total) { answer in
        try Self.check(answer)
        head.withLock { $0 = answer }
      } body: { data in
        try data.withUnsafeBytes { try file.append($0) }
      }
    } catch let error as HTTPClientError {
      throw SourceFailure(error)
    }
    guard let head = head.withLock({ $0 }) else { throw SourceFailure.endedEarly }
    guard head.status != 304 else { return .unchanged }
    return .file(
      file, etag: head["ETag"].flatMap { Self.stored($0, atMost: 1_000) },
      lastModified: head["Last-Modified"].flatMap { Self.stored($0, atMost: 100) })
  }

  private static func url(of settings: Source.Settings, since: Int64?) throws(SourceFailure) -> URL {
    guard var parts = URLComponents(string: settings.url) else { throw .invalidAddress }
    if let since {
      let others = (parts.queryItems ?? []).filter { $0.name != "since" }
      parts.queryItems = others + [URLQueryItem(name: "since", value: "\(since)")]
    }
    guard let url = parts.url else { throw .invalidAddress }
    return url
  }

  /// The key in a file.
  static func key(in path: String) throws(SourceFailure) -> String {
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: mostKeyBytes + 1), data.count <= mostKeyBytes
    else { throw .keyUnreadable(path: path) }
    let key = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .keyUnreadable(path: path) }
    return key
  }

  private static func check(_ head: OutboundResponse) throws(SourceFailure) {
    switch head.status {
    case 304: return
    // 206 is a part of the file.
    case 200: break
    // Redirects within the origin have been followed.
    case 300..<400: throw .otherOrigin
    case let status: throw .unexpectedStatus(status: status)
    }
    let type = (head["Content-Type"] ?? "").lowercased()
    if foreignTypes.contains(where: type.hasPrefix) { throw .wrongType(type: String(type.prefix(100))) }
  }

  /// A field's value, if it can be stored and sent back.
  static func stored(_ value: String, atMost bytes: Int) -> String? {
    value.utf8.count <= bytes && value.utf8.allSatisfy { (0x20...0x7e).contains($0) } ? value : nil
  }
}

extension SourceFailure: OutboundFailure {}

/// Limits of a source's file, beyond which it is refused and the former entries stay.
public struct SourceReadLimits: Sendable, Equatable {
  /// The most bytes of a response.
  public var fileBytes = 64 << 20
  /// The most bytes after decompression.
  public var expandedBytes = 512 << 20
  /// The time limit of a response; of another server's publication, that of all its files together.
  public var total = Duration.seconds(300)
  /// The longest time without data.
  public var idle = Duration.seconds(30)
  /// The most entries: 24 bytes of memory for each.
  public var entries = 2_000_000
  /// The most redirects within the origin.
  public var redirects = 5

  /// The limits of a server.
  public init() {}

  /// The limits of a preview on a page, for which a browser waits.
  public static var preview: SourceReadLimits {
    var limits = SourceReadLimits()
    (limits.fileBytes, limits.expandedBytes, limits.entries) = (16 << 20, 64 << 20, 200_000)
    (limits.total, limits.idle) = (.seconds(20), .seconds(10))
    return limits
  }
}
