// SPDX-License-Identifier: Apache-2.0

package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1

/// HTTP/1.1 with a ``ConnectionLimitHandler``, a ``FileSender`` and a handler of the fast path on every connection.
package struct LimitedHTTPChannel: ServerChildChannel {
  /// Creates the handler that takes plain reports before the router.
  package typealias MakeFastPath =
    @Sendable (_ loop: any EventLoop, _ connection: ConnectionLimitHandler, _ end: ConnectionEnd) -> any ChannelHandler

  package typealias Value = HTTP1Channel.Value

  /// Limits of the head of a request. 2,000 connections with a head each: 32 MB.
  static let (headBytes, fieldBytes, fields) = (16_384, 8_192, 100)

  private let http: HTTP1Channel
  private let makeGuard: @Sendable () -> ConnectionLimitHandler
  private let limits: ConnectionLimits
  private let makeFastPath: MakeFastPath

  package init(
    responder: @escaping HTTPChannelHandler.Responder, limits: ConnectionLimits, connections: OpenConnections,
    readiness: Readiness, metrics: RequestMetrics,
    makeFastPath: @escaping MakeFastPath
  ) {
    http = HTTP1Channel(
      responder: responder,
      configuration: .init(
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: Self.fieldBytes, maxHeaderListSize: Self.headBytes, maxHeaderFieldCount: Self.fields)))
    self.limits = limits
    self.makeFastPath = makeFastPath
    makeGuard = {
      ConnectionLimitHandler(limits: limits, connections: connections, readiness: readiness, metrics: metrics)
    }
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let connection = makeGuard()
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(connection, position: .after(decoder))
      try pipeline.addHandler(FileSender(), position: .after(decoder))
      let end = ConnectionEnd(connection: connection, limits: limits)
      try pipeline.addHandler(end, position: .first)
      try pipeline.addHandler(makeFastPath(channel.eventLoop, connection, end), position: .after(connection))
      return value
    }
  }

  package func handle(value: Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}

/// The handler next to the socket: reports bytes to ``ConnectionLimitHandler`` before they make a request, writes answers
/// that are bytes already, and closes a connection that is idle for too long.
///
/// Hummingbird's own timer is after ``ReportFastPathHandler`` and does not see the requests answered there.
package final class ConnectionEnd: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private let connection: ConnectionLimitHandler
  private let limits: ConnectionLimits
  private var timer: Scheduled<Void>?
  private var context: ChannelHandlerContext?

  package init(connection: ConnectionLimitHandler, limits: ConnectionLimits) {
    self.connection = connection
    self.limits = limits
  }

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive, timer == nil { wait(context, until: .now() + patience) }
  }

  package func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  package func channelActive(context: ChannelHandlerContext) {
    if timer == nil { wait(context, until: .now() + patience) }
    context.fireChannelActive()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    context.fireChannelInactive()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard connection.takesBytes() else { return }
    context.fireChannelRead(data)
  }

  /// The time that the connection may be idle now.
  private var patience: TimeAmount {
    TimeAmount(connection.hasBegun ? limits.idle : min(limits.firstByte, limits.idle))
  }

  /// Writes a complete answer, past the HTTP encoder.
  package func write(_ answer: ByteBuffer) {
    guard let context else { return }
    context.writeAndFlush(
      Self.wrapOutboundOut(answer), promise: connection.restAfterWriting(nil, on: context.eventLoop))
  }

  /// Schedules one task for an idle span, whatever the count of requests.
  private func wait(_ context: ChannelHandlerContext, until deadline: NIODeadline) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(deadline: deadline) {
      let (idle, context) = bound.value
      idle.look(context)
    }
  }

  private func look(_ context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    // A connection that waits for an answer is not idle.
    let end = connection.isAnswering ? now + patience : connection.lastActive + patience
    if end <= now {
      timer = nil
      context.close(promise: nil)
    } else {
      wait(context, until: end)
    }
  }
}
