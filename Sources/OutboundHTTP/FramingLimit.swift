// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Limits the bytes of a response that are not content: status line, fields, interim responses, chunk sizes and
/// extensions, and trailers.
///
/// The HTTP parser limits only fields. It reads a status line or a chunk extension of any length without reporting it,
/// so bytes are counted before the parser and parts after it.
final class FramingLimit {
  /// The limit for one response, in addition to ``bytesPerContentByte``. The parser's own limit for all fields is 80
  /// KiB.
  static let bytes = 128 << 10
  /// Bytes of framing allowed for each byte of content: a chunk of one byte has 5 bytes of framing.
  static let bytesPerContentByte = 8

  private var received = 0
  private var content = 0

  fileprivate var isExceeded: Bool { received - content > Self.bytes + Self.bytesPerContentByte * content }

  /// Adds the limit to a connection.
  /// - Throws: an error where the connection does not use HTTP/1.1.
  static func add(to channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
    let limit = FramingLimit()
    try pipeline.addHandler(ByteCounter(limit), position: .before(parser))
    try pipeline.addHandler(PartCounter(limit), position: .after(parser))
  }

  private final class ByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: FramingLimit

    init(_ limit: FramingLimit) { self.limit = limit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      limit.received += Self.unwrapInboundIn(data).readableBytes
      // The parser passes the parts on before this call returns.
      context.fireChannelRead(data)
      guard limit.isExceeded else { return }
      context.fireErrorCaught(HTTPParserError.headerOverflow)
      context.close(promise: nil)
    }
  }

  private final class PartCounter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let limit: FramingLimit
    private var isRefused = false

    init(_ limit: FramingLimit) { self.limit = limit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch Self.unwrapInboundIn(data) {
      case .head(let head):
        // The client takes a status below 200 for an interim answer, and a body after one stops the process.
        isRefused = head.status.code < 100
      case _ where isRefused: break
      case .body(let bytes): limit.content += bytes.readableBytes
      case .end: (limit.received, limit.content) = (0, 0)
      }
      guard !isRefused else {
        context.fireErrorCaught(HTTPParserError.invalidStatus)
        return context.close(promise: nil)
      }
      context.fireChannelRead(data)
    }
  }
}
