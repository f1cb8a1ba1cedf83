// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOHTTP1
import ServerSupport
import Metrics

/// The body did not arrive in time.
struct SlowSender: Error {}

/// Closes connections of clients that send or read too slowly or hold too many connections. It also closes a connection
/// after an error that is answered before the request is complete, because the rest of the body would have to be read.
package final class ConnectionLimitHandler: ChannelDuplexHandler {
  package typealias InboundIn = HTTPServerRequestPart
  package typealias InboundOut = HTTPServerRequestPart
  package typealias OutboundIn = HTTPServerResponsePart
  package typealias OutboundOut = HTTPServerResponsePart

  private enum Receiving {
    case nothing
    case head(since: NIODeadline)
    case body(since: NIODeadline, bytes: Int)
  }

  /// The most bytes of a body that are discarded until the sender has read the answer.
  private static let discardLimit = 4 << 20

  private let limits: ConnectionLimits
  private let connections: OpenConnections
  private let readiness: Readiness
  private let metrics: RequestMetrics
  /// The entry of this connection while it is open and within the limit of its network.
  private var place: OpenConnections.Place?
  /// Whether bytes have been received.
  private(set) var hasBegun = false
  private var receiving = Receiving.nothing
  private var unanswered = 0
  /// The time of the last bytes or the last answer.
  private(set) var lastActive = NIODeadline.now()
  private var timer: Scheduled<Void>?
  private var stall: Scheduled<Void>?
  private var closesAfterAnswer = false
  /// Whether the current request is the last of its connection, after which nothing is read.
  private var last: LastRequest?
  /// Whether the client of the current request waits for `100 Continue` before it sends the body.
  private var expectsContinue = false
  /// Whether the head of the current request exceeds the limits of ``LimitedHTTPChannel``.
  private var hasLongHead = false
  private var isClosing = false
  private var discarded = 0

  package init(limits: ConnectionLimits, connections: OpenConnections, readiness: Readiness, metrics: RequestMetrics) {
    self.limits = limits
    self.connections = connections
    self.readiness = readiness
    self.metrics = metrics
  }

  package func channelActive(context: ChannelHandlerContext) {
    let (eventLoop, bound) = (context.eventLoop, NIOLoopBound(context, eventLoop: context.eventLoop))
    place = connections.add(ClientNetwork(context.channel.remoteAddress)) {
      eventLoop.execute { bound.value.close(promise: nil) }
    }
    guard place != nil else {
      metrics.refusedConnections.increment()
      return context.close(promise: nil)
    }
    metrics.connections.increment()
    context.fireChannelActive()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    stall?.cancel()
    if let place {
      connections.remove(place)
      metrics.connections.decrement()
    }
    place = nil
    context.fireChannelInactive()
  }

  // MARK: Requests

  /// Notes input that may begin a request.
  /// - Returns: false after the last request of the connection, because the HTTP parser may keep everything that follows,
  ///   and if the connection is being closed to make room.
  func takesBytes() -> Bool {
    if last?.isWhole == true { return false }
    if case .nothing = receiving {
      guard place?.use() != false else { return false }
      receiving = .head(since: .now())
    }
    (lastActive, hasBegun) = (.now(), true)
    return true
  }

  /// Whether all input has been read and a request is not answered yet.
  var isAnswering: Bool {
    if case .nothing = receiving { unanswered > 0 } else { false }
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var part = Self.unwrapInboundIn(data)
    if isClosing || last?.isWhole == true {
      if case .body(let bytes) = part { discarded += bytes.readableBytes }
      if discarded > Self.discardLimit { context.close(promise: nil) }
      return
    }
    switch (part, receiving) {
    case (.head(let head), _):
      unanswered += 1
      guard TransferCoding.isAccepted(head) else { return refuse(context) }
      last = LastRequest(head)
      expectsContinue = head.version == .http1_1 && head.headers.first(name: "Expect")?.lowercased() == "100-continue"
      receiving = .body(since: lastActive, bytes: 0)
    case (.body(let bytes), .body(let since, let count)):
      receiving = .body(since: since, bytes: count + bytes.readableBytes)
    case (.body, _): break
    case (.end, _):
      receiving = .nothing
      last?.isWhole = true
    }
    if case .head(var head) = part {
      HostMiddleware.settle(&head)
      part = .head(head)
    }
    context.fireChannelRead(Self.wrapInboundOut(part))
  }

  /// Refuses a request whose framing is faulty; nothing that follows it is read.
  private func refuse(_ context: ChannelHandlerContext) {
    receiving = .nothing
    last = .refused
    // Hummingbird answers it with 400, as other input that is not HTTP.
    context.fireErrorCaught(HTTPParserError.unknown)
  }

  /// Notes a head, or the fields after a body, beyond the limits; nothing that follows is read.
  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !isClosing, let error = error as? HTTPParserError, case .headerOverflow = error {
      if case .body = receiving {} else { unanswered += 1 }
      (receiving, last, hasLongHead) = (.nothing, .refused, true)
    }
    context.fireErrorCaught(error)
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    // A request in one piece, as most are, needs no timer.
    switch receiving {
    case .nothing:
      timer?.cancel()
      timer = nil
    case .head, .body:
      if timer == nil, !isClosing { wait(context) }
    }
    context.fireChannelReadComplete()
  }

  private func wait(_ context: ChannelHandlerContext) {
    let (since, patience): (NIODeadline, Duration)
    switch receiving {
    case .nothing: return
    case .head where unanswered > 0:
      // The sender may wait for the previous answer, so the time starts with that answer.
      (since, patience) = (.now(), limits.headers)
    case .head(let start): (since, patience) = (start, limits.headers)
    case .body(let start, let bytes): (since, patience) = (start, limits.patience(bytes: bytes))
    }
    let deadline = since + TimeAmount(patience)
    guard deadline <= .now() else {
      timer = schedule(context, at: deadline) { connection, context in
        connection.timer = nil
        connection.wait(context)
      }
      return
    }
    guard case .body = receiving else { return context.close(promise: nil) }
    // A reader of the body turns this error into an answer, but there may be no reader.
    context.fireErrorCaught(SlowSender())
    timer = schedule(context, at: .now() + TimeAmount(limits.linger)) { _, context in context.close(promise: nil) }
  }

  // MARK: Answers

  /// Whether the next answer is for a request whose body is still arriving. With several unanswered requests that is the
  /// last one, and the next answer is for an earlier one.
  private var isEarly: Bool {
    if case .body = receiving { unanswered == 1 } else { false }
  }

  /// Notes an answer that is written past this handler.
  /// - Returns: false if the answer closes the connection; then it must pass through this handler.
  package func passesAnswer() -> Bool {
    if isEarly { return false }
    guard !closesAfterAnswer, !readiness.isStopping else { return false }
    answered()
    return true
  }

  private func answered() {
    unanswered -= 1
    lastActive = .now()
    if case .head = receiving, unanswered == 0 { receiving = .head(since: lastActive) }
  }

  /// Returns a promise for the last bytes of an answer, after which the connection may be idle. A client that still reads
  /// an answer is not idle.
  func restAfterWriting(_ promise: EventLoopPromise<Void>?, on eventLoop: any EventLoop) -> EventLoopPromise<Void> {
    let written = promise ?? eventLoop.makePromise()
    written.futureResult.assumeIsolated().whenComplete { _ in
      if case .nothing = self.receiving, self.unanswered == 0, let place = self.place { self.connections.rest(place) }
    }
    return written
  }

  package func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
    // All earlier requests are answered, because this body is being read.
    if expectsContinue, case .body(_, 0) = receiving {
      let head = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
    }
    expectsContinue = false
    promise?.succeed()
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch Self.unwrapOutboundIn(data) {
    case .head(var head):
      if isEarly { closesAfterAnswer = true }
      if let last, unanswered == 1 {
        closesAfterAnswer = true
        last.settle(&head)
      }
      // A connection kept during a stop would be closed at the client's next request.
      if readiness.isStopping { closesAfterAnswer = true }
      if closesAfterAnswer { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      guard hasLongHead, unanswered == 1, head.status == .badRequest else {
        return context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
      }
      // In place of Hummingbird's answer without a body.
      let body = Problem(.headersTooLarge).body
      head.status = .requestHeaderFieldsTooLarge
      head.headers.replaceOrAdd(name: "Content-Type", value: "application/problem+json")
      head.headers.replaceOrAdd(name: "Content-Length", value: "\(body.readableBytes)")
      context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
      context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    case .body:
      context.write(data, promise: promise)
    case .end:
      answered()
      guard closesAfterAnswer, !isClosing else {
        return context.write(data, promise: restAfterWriting(promise, on: context.eventLoop))
      }
      isClosing = true
      let written = promise ?? context.eventLoop.makePromise()
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      written.futureResult.whenComplete { _ in
        let (connection, context) = bound.value
        connection.closeGently(context)
      }
      context.write(data, promise: written)
    }
  }

  /// Half-closes and waits a little. Closing a connection with unread bytes at once resets it, and the client may never
  /// see the answer.
  private func closeGently(_ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = schedule(context, at: .now() + TimeAmount(limits.linger)) { _, context in context.close(promise: nil) }
    context.close(mode: .output, promise: nil)
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if isClosing, case .some(ChannelEvent.inputClosed) = event as? ChannelEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    stall?.cancel()
    stall = nil
    if !context.channel.isWritable {
      stall = schedule(context, at: .now() + TimeAmount(limits.stalledAnswer)) { _, context in
        context.close(promise: nil)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  private func schedule(
    _ context: ChannelHandlerContext, at deadline: NIODeadline,
    _ action: @escaping @Sendable (ConnectionLimitHandler, ChannelHandlerContext) -> Void
  ) -> Scheduled<Void> {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    return context.eventLoop.scheduleTask(deadline: deadline) {
      let (connection, context) = bound.value
      action(connection, context)
    }
  }
}
