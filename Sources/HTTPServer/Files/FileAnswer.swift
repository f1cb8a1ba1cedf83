// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Support
import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
import NIOHTTP1

/// Sends a file: all of it, a part, or a 304 response.
package struct FileAnswer: Sendable {
  /// The caching of a response.
  package enum Freshness: String, Sendable {
    /// The content of the path never changes.
    case forEver = "public, max-age=31536000, immutable"
    /// Revalidated each time, usually with a 304 response.
    case checked = "public, no-cache"
  }

  package let files: OpenFiles

  package init(files: OpenFiles) {
    self.files = files
  }

  /// Up to this many bytes, head and body are sent in one piece.
  private static let small = 64 << 10

  /// - Parameters:
  /// - mediaType: of the content; nil to choose it by the path.
  /// - coding: the content coding of the file, such as gzip. A representation that depends on `Accept-Encoding` has
  ///   one, or `identity`.
  /// - Throws: ``Problem`` for a missing file (404), a failed condition (412) and a range beyond the end (416).
  package func answer(
    _ path: String, known: KnownFile? = nil, freshness: Freshness, mediaType: String? = nil,
    coding: String? = nil, to request: Request, context: ServerRequestContext
  ) async throws -> Response {
    guard let file = try await files.file(at: path, known: known) else { throw Problem.notFound }
    let validators = Self.validators(of: file)
    var headers: HTTPFields = [
      .cacheControl: freshness.rawValue, .eTag: validators.tag.field,
      .lastModified: HTTPDate.format(validators.lastModified), .acceptRanges: "bytes",
    ]
    if let coding {
      headers[.vary] = "Accept-Encoding"
      if coding != "identity" { headers[.contentEncoding] = coding }
    }
    let mediaType = mediaType ?? Self.mediaType(of: path)
    let conditions = ConditionalRequest(request.head)
    switch conditions.outcome(for: validators, length: file.length) {
    case .preconditionFailed:
      throw Problem.preconditionFailed
    case .notSatisfiable:
      throw Problem.notSatisfiable(length: file.length, headers: headers)
    case .notModified:
      return Response(status: .notModified, headers: headers)
    case .whole:
      headers[.contentType] = mediaType
      headers[.contentLength] = String(file.length)
      let whole = 0..<file.length
      return Response(
        status: .ok, headers: headers, body: conditions.isGet ? try await body(whole, of: file, context) : .init())
    case .part(let part):
      headers[.contentType] = mediaType
      headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.length)"
      return Response(status: .partialContent, headers: headers, body: try await body(part, of: file, context))
    }
  }

  private static func validators(of file: OpenFile) -> ConditionalRequest.Validators {
    let lastModified = Date(timeIntervalSince1970: Double(file.identity.seconds))
    // Two contents written within a second could have the same date.
    return .init(
      tag: EntityTag(file.digest.hex), lastModified: lastModified,
      isDateStrong: Date().timeIntervalSince(lastModified) > 2)
  }

  private func body(_ part: Range<Int>, of file: OpenFile, _ context: ServerRequestContext) async throws -> ResponseBody
  {
    if part.count <= Self.small { return .init(byteBuffer: try await files.bytes(part, of: file)) }
    let channel = context.channel
    return ResponseBody(contentLength: part.count) { writer in
      try await FileSender.send(part, of: file, on: channel)
      try await writer.finish(nil)
    }
  }

  package static func mediaType(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "json": "application/json"
    case "jsonl": "application/x-ndjson"
    case "csv": "text/csv; charset=utf-8"
    case "tsv": "text/tab-separated-values; charset=utf-8"
    case "txt", "conf": "text/plain; charset=utf-8"
    case "xml": "application/xml"
    case "gz": "application/gzip"
    case "sqlite": "application/vnd.sqlite3"
    default: "application/octet-stream"
    }
  }
}

/// Sends parts of files from the kernel's cache to the connection (`sendfile`), without copying them in this process.
///
/// A part is sent in slices, each after the connection has taken the previous one. ``ConnectionLimitHandler`` sees
/// every slice, so its limit for stalled responses applies to each slice and enforces a minimum rate.
final class FileSender: ChannelOutboundHandler {
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// With 60 seconds for a slice, the minimum rate is 4 KiB per second.
  static let slice = 256 << 10

  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  /// Sends a part of a file as the body of the answer whose head was written last on this channel.
  static func send(_ part: Range<Int>, of file: OpenFile, on channel: any Channel) async throws {
    try await channel.eventLoop.flatSubmit {
      let sent = channel.eventLoop.makePromise(of: Void.self)
      do {
        try channel.pipeline.syncOperations.handler(type: FileSender.self).send(part, of: file, sent)
      } catch {
        sent.fail(error)
      }
      return sent.futureResult
    }.get()
  }

  private func send(_ part: Range<Int>, of file: OpenFile, _ sent: EventLoopPromise<Void>) {
    guard !part.isEmpty else { return sent.succeed() }
    guard let context else { return sent.fail(ChannelError.ioOnClosedChannel) }
    let end = min(part.upperBound, part.lowerBound + Self.slice)
    // Each slice has its own handle, because NIO refuses to use one for two connections at once.
    let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
    let region = FileRegion(fileHandle: handle, readerIndex: part.lowerBound, endIndex: end)
    let eventLoop = context.eventLoop.assumeIsolated()
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { result in
      // The file keeps its descriptor.
      _ = try? handle.takeDescriptorOwnership()
      if case .failure(let error) = result { return sent.fail(error) }
      // The next slice is sent later, so that the connection first becomes writable.
      eventLoop.execute { self.send(end..<part.upperBound, of: file, sent) }
    }
    context.writeAndFlush(Self.wrapOutboundOut(.body(.fileRegion(region))), promise: written)
  }
}
