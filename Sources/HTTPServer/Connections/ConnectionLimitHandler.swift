package import NIOCore
package import NIOHTTP1
import Telemetry
import Metrics

/// The body did not arrive in time.
struct SlowSender: Error {}

/// Cuts off who sends or reads too slowly or holds too many connections, and closes a connection for good where an
/// error is answered before the whole request has come: what is left of the body would otherwise be read to its end.
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

  /// The most that is thrown away of a body before its sender has read our answer.
  private static let discardLimit = 4 << 20

  private let limits: ConnectionLimits
  private let networks: NetworkConnections?
  private let readiness: Readiness
  private let metrics: RequestMetrics
  private var isCounted = false
  private var network: ClientNetwork?
  private var receiving = Receiving.nothing
  private var unanswered = 0
  /// When bytes last came or an answer was last given.
  package private(set) var lastActive = NIODeadline.now()
  private var timer: Scheduled<Void>?
  private var stall: Scheduled<Void>?
  private var closesAfterAnswer = false
  /// Of a request that is the last one of its connection: whatever comes behind it is not read.
  private var last: LastRequest?
  /// Whether the client of the present request waits for `100 Continue` before it sends the body.
  private var expectsContinue = false
  private var isClosing = false
  private var discarded = 0

  package init(limits: ConnectionLimits, networks: NetworkConnections?, readiness: Readiness, metrics: RequestMetrics) {
    self.limits = limits
    self.networks = networks
    self.readiness = readiness
    self.metrics = metrics
  }

  package func channelActive(context: ChannelHandlerContext) {
    if let networks {
      let network = ClientNetwork(context.channel.remoteAddress)
      guard networks.add(network) else {
        metrics.refusedConnections.increment()
        return context.close(promise: nil)
      }
      self.network = network
    }
    metrics.connections.increment()
    isCounted = true
    context.fireChannelActive()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    stall?.cancel()
    if let network { networks?.remove(network) }
    network = nil
    if isCounted { metrics.connections.decrement() }
    isCounted = false
    context.fireChannelInactive()
  }

  // MARK: Requests

  /// Notes that something came that may be the begin of a request.
  /// - Returns: false after the last request of the connection: HTTP's parser may keep everything that follows it.
  package func takesBytes() -> Bool {
    if last?.isWhole == true { return false }
    lastActive = .now()
    if case .nothing = receiving { receiving = .head(since: lastActive) }
    return true
  }

  /// Whether all that came has been read and some of it is not answered yet.
  package var isAnswering: Bool {
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
    // Hummingbird answers it with 400, as it does what is no HTTP.
    context.fireErrorCaught(HTTPParserError.unknown)
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    // A request that comes in one piece, as most do, needs no timer.
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
      // Its sender may rightly wait for the answer before it: the time begins with that.
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
    // Whoever reads the body turns this into an answer; nobody may be reading it, though.
    context.fireErrorCaught(SlowSender())
    timer = schedule(context, at: .now() + TimeAmount(limits.linger)) { _, context in context.close(promise: nil) }
  }

  // MARK: Answers

  /// Whether the next answer is to a request of which the body is still coming: with more than one unanswered, that is
  /// the last of them, and the answer is to one before it.
  private var isEarly: Bool {
    if case .body = receiving { unanswered == 1 } else { false }
  }

  /// Notes an answer that is written whole, past the guard.
  /// - Returns: false where this answer closes the connection; then it has to come through.
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

  package func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
    // All requests before it are answered, since its body is read.
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
      // Whoever keeps a connection to a server that stops would meet a closed one with the next request.
      if readiness.isStopping { closesAfterAnswer = true }
      if closesAfterAnswer { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
    case .body:
      context.write(data, promise: promise)
    case .end:
      answered()
      guard closesAfterAnswer, !isClosing else { return context.write(data, promise: promise) }
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

  /// Says that nothing more comes and waits a little: to close at once what still has unread bytes resets the
  /// connection, and the client may never see the answer.
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
