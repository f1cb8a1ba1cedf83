// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The handler next to the socket: reports bytes to ``ConnectionLimitHandler`` before they make a request, writes answers
/// that are bytes already, and closes a connection that is idle for too long.
///
/// Hummingbird's own timer is after ``ReportFastPathHandler`` and does not see the requests answered there.
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

  /// Writes a complete answer, past the HTTP encoder.
  package func write(_ answer: ByteBuffer) {
    context?.writeAndFlush(Self.wrapOutboundOut(answer), promise: nil)
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
