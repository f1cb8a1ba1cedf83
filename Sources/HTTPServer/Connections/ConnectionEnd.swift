package import NIOCore

/// The end of a connection next to the socket: tells its guard of bytes before they make a request, writes answers that
/// are bytes already, and closes the connection when it has been idle for too long.
///
/// Hummingbird's own timer stands behind ``ReportFastPathHandler`` and does not see what is answered there.
package final class ConnectionEnd: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private let connection: ConnectionLimitHandler
  private let patience: TimeAmount
  private var timer: Scheduled<Void>?
  private var context: ChannelHandlerContext?

  package init(connection: ConnectionLimitHandler, patience: TimeAmount) {
    self.connection = connection
    self.patience = patience
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

  /// Writes a whole answer past what makes parts into bytes.
  package func write(_ answer: ByteBuffer) {
    context?.writeAndFlush(Self.wrapOutboundOut(answer), promise: nil)
  }

  /// One task an idle span, however many requests come in it.
  private func wait(_ context: ChannelHandlerContext, until deadline: NIODeadline) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(deadline: deadline) {
      let (idle, context) = bound.value
      idle.look(context)
    }
  }

  private func look(_ context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    // Who waits for our answer is not idle.
    let end = connection.isAnswering ? now + patience : connection.lastActive + patience
    if end <= now {
      timer = nil
      context.close(promise: nil)
    } else {
      wait(context, until: end)
    }
  }
}
