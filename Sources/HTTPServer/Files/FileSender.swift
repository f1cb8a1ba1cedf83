import NIOCore
import NIOHTTP1

/// Sends parts of files from the kernel's cache to the connection (`sendfile`), without a copy in this process.
///
/// A part goes out in slices, the next when the connection has taken the one before: ``ConnectionLimitHandler`` sees each of
/// them, so that the time it gives a stalled answer is the time for a slice, which makes a least rate.
final class FileSender: ChannelOutboundHandler {
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// With 60 seconds for a slice, 4 KiB a second is the least.
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
    // Each slice has a handle of its own: NIO refuses to use one for two connections at once.
    let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
    let region = FileRegion(fileHandle: handle, readerIndex: part.lowerBound, endIndex: end)
    let eventLoop = context.eventLoop.assumeIsolated()
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { result in
      // The descriptor stays the file's own.
      _ = try? handle.takeDescriptorOwnership()
      if case .failure(let error) = result { return sent.fail(error) }
      // Later, so that the connection says before that it can be written to again.
      eventLoop.execute { self.send(end..<part.upperBound, of: file, sent) }
    }
    context.writeAndFlush(Self.wrapOutboundOut(.body(.fileRegion(region))), promise: written)
  }
}
