// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

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
