import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// HTTP/1.1 with a ``ConnectionGuard`` on every connection.
struct GuardedHTTPChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let http: HTTP1Channel
  private let makeGuard: @Sendable () -> ConnectionGuard

  init(
    responder: @escaping HTTPChannelHandler.Responder, limits: ConnectionLimits, networks: NetworkConnections?,
    readiness: Readiness
  ) {
    http = HTTP1Channel(
      responder: responder,
      configuration: .init(
        idleTimeout: TimeAmount(limits.idle),
        // 2,000 connections with a head each: 32 MB.
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8 * 1_024, maxHeaderListSize: 16 * 1_024, maxHeaderFieldCount: 100)))
    makeGuard = { ConnectionGuard(limits: limits, networks: networks, readiness: readiness) }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let connection = makeGuard()
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(connection, position: .after(decoder))
      try pipeline.addHandler(FirstBytes { [weak connection] in connection?.bytesArrived() }, position: .first)
      return value
    }
  }

  func handle(value: Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}

/// Tells of bytes before they make a request.
private final class FirstBytes: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let onBytes: () -> Void

  init(onBytes: @escaping () -> Void) {
    self.onBytes = onBytes
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    onBytes()
    context.fireChannelRead(data)
  }
}
