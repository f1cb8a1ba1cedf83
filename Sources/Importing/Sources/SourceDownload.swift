// SPDX-License-Identifier: Apache-2.0

import CurlHTTP
import ServerSupport
import CallerPack
public import Curation
import Foundation
public import OutboundHTTP
import Storage

/// Downloads a source's file into a private temporary file.
struct SourceDownload {
  enum Outcome {
    /// The file has not changed since the last success.
    case unchanged
    /// A file, with the values by which the server recognizes it.
    case file(SourceFile, etag: String?, lastModified: String?)
  }

  /// Content types that are no lists: mostly the page of an error or of a sign-in.
  private static let foreignTypes = ["text/html", "application/xhtml", "image/", "audio/", "video/", "application/pdf"]
  private static let maxKeyBytes = 1_000

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
    // The address that was checked is the one that is used: a name could resolve to a different address a moment later.
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
    var request = OutboundRequest("GET", url)
    request.redirects = OutboundRequest.downloadRedirects
    request.fields["Accept"] = "*/*"
    if isConditional {
      request.fields["If-None-Match"] = state.etag
      request.fields["If-Modified-Since"] = state.lastModified
    }
    // Redirects stay within the origin.
    request.fields["Authorization"] = try settings.options.keyFile.map {
      "Bearer \(try Self.key(in: $0, for: WebOrigin(url)))"
    }
    let file = try SourceFile(folder: folder)
    let head: OutboundResponse
    do {
      head = try await client.send(request, limit: limits.fileBytes, total: limits.total) { answer in
        try Self.check(answer)
      } body: { data in
        try data.withUnsafeBytes { try file.append($0) }
      }
    } catch let error as HTTPClientError {
      throw SourceFailure(error)
    }
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

  static func key(in path: String, for origin: WebOrigin?) throws(SourceFailure) -> String {
    guard origin?.isPrivate == true else { throw .keyWithoutHTTPS }
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: maxKeyBytes + 1), data.count <= maxKeyBytes
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
  /// The time limit of a response; for another server's publication, of all its files together.
  public var total = Duration.seconds(300)
  /// The most CPU time of decompression, and of reading.
  public var work = Duration.seconds(60)
  /// The longest time without data.
  public var idle = Duration.seconds(30)
  /// The most entries: 24 bytes of memory for each.
  public var entries = 2_000_000

  public init() {}

  /// The limits of a preview on a page, for which a browser waits.
  public static var preview: SourceReadLimits {
    var limits = SourceReadLimits()
    (limits.fileBytes, limits.expandedBytes, limits.entries) = (16 << 20, 64 << 20, 500_000)
    (limits.total, limits.work, limits.idle) = (.seconds(20), .seconds(20), .seconds(10))
    return limits
  }
}

/// Resolves hosts to addresses of the public internet.
enum PublicAddress {
  /// - Throws: ``SourceFailure/privateAddress`` where one of the host's addresses is not public, and a failed
  /// connection where it has none.
  static func resolve(_ host: String) async throws -> String {
    try await runOnThread {
      let own = own()
      var hints = addrinfo()
      #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      #else
        hints.ai_socktype = SOCK_STREAM
      #endif
      var found: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(host, nil, &hints, &found)
      guard code == 0 else { throw SourceFailure.connectionFailed(String(cString: gai_strerror(code))) }
      defer { freeaddrinfo(found) }
      var addresses: [String] = []
      var next = found
      while let entry = next?.pointee {
        if let bytes = bytes(of: entry) {
          guard isPublic(bytes, besides: own) else { throw SourceFailure.privateAddress }
          addresses.append(text(bytes))
        }
        next = entry.ai_next
      }
      guard let first = addresses.first else { throw SourceFailure.connectionFailed("the host has no address") }
      return first
    }
  }

  /// Whether an address is none of this machine, of a private network or of a special use, by the registries of IANA
  /// (RFC 6890).
  /// - Parameters:
  ///   - bytes: 4 bytes of IPv4, or 16 bytes of IPv6.
  ///   - own: the addresses of this machine.
  static func isPublic(_ bytes: [UInt8], besides own: Set<[UInt8]> = []) -> Bool {
    guard !own.contains(bytes) else { return false }
    guard bytes.count == 16 else { return isPublic4(bytes) }
    if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
      return isPublic(Array(bytes[12...]), besides: own)
    }
    if bytes.starts(with: [0x20, 0x02]) { return isPublic(Array(bytes[2..<6]), besides: own) }
    // Teredo, and the other special addresses below 2001:200::.
    if bytes[0] == 0x20, bytes[1] == 0x01, bytes[2] < 0x02 { return false }
    // Global unicast is 2000::/3; addresses of IPv4 within IPv6, loopback, unique local and link-local ones are not.
    return bytes[0] & 0xE0 == 0x20
  }

  private static func isPublic4(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 4 else { return false }
    switch (bytes[0], bytes[1], bytes[2]) {
    case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): return false
    case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): return false
    case (192, 0, 0): return false
    default: return true
    }
  }

  /// The addresses of the interfaces of this machine.
  static func own() -> Set<[UInt8]> {
    var found: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&found) == 0 else { return [] }
    defer { freeifaddrs(found) }
    var addresses: Set<[UInt8]> = []
    var next = found
    while let entry = next?.pointee {
      if let address = entry.ifa_addr, let bytes = bytes(of: address, Int32(address.pointee.sa_family)) {
        addresses.insert(bytes)
      }
      next = entry.ifa_next
    }
    return addresses
  }

  private static func bytes(of entry: addrinfo) -> [UInt8]? {
    entry.ai_addr.flatMap { bytes(of: $0, entry.ai_family) }
  }

  private static func bytes(of address: UnsafeMutablePointer<sockaddr>, _ family: Int32) -> [UInt8]? {
    let address = UnsafeRawPointer(address)
    switch family {
    case AF_INET:
      return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6:
      return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default: return nil
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: 64)
    inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
