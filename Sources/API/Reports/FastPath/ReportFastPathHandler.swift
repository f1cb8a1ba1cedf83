// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
import Intake
package import Logging
package import NIOCore
import NIOHTTP1
import Storage
import Synchronization
import ServerSupport

/// Takes the requests that ``ReportFastPath`` accepts and passes all others on, unchanged and in order.
///
/// It considers a request only if it arrived in one piece and every earlier request is answered. So it keeps no more
/// than one read of the socket. While a report is being committed, later input waits and the socket is not read.
final class ReportFastPathHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case ready
    /// A request that the fast path may take.
    case gathering(PlainRequest, HTTPRequestHead, ByteBuffer?)
    /// A request for the router that has not arrived completely.
    case passing
    /// A request whose report is being committed.
    case taken(ReportFastPath.Pending)
  }

  private enum Held {
    case part(HTTPServerRequestPart)
    case error(any Error)
    case event(Any)
  }

  private let shortcut: ReportFastPath
  private let mailbox: ResponseMailbox
  private let connection: ConnectionLimitHandler
  private let end: ConnectionEnd
  private var state = State.ready
  /// Requests passed to the router and not answered yet.
  private var unanswered = 0
  private var held: [Held] = []
  private var isReadHeld = false
  private var sender: ConnectionSender?
  private var context: ChannelHandlerContext?
  private var date = DateHeader()

  init(
    shortcut: ReportFastPath, mailbox: ResponseMailbox, connection: ConnectionLimitHandler, end: ConnectionEnd
  ) {
    self.shortcut = shortcut
    self.mailbox = mailbox
    self.connection = connection
    self.end = end
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = Self.unwrapInboundIn(data)
    guard !isTaken else { return held.append(.part(part)) }
    read(part, context)
  }

  private func read(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch (part, state) {
    case (.head(let head), .ready):
      if unanswered == 0, let request = PlainRequest(head) {
        state = .gathering(request, head, nil)
      } else {
        pass(part, context)
      }
    case (.body(let bytes), .gathering(let request, let head, nil))
    where bytes.readableBytes <= BodyReader.objectLimit:
      state = .gathering(request, head, bytes)
    case (.end(nil), .gathering(let request, _, let body?)):
      take(request, body, context)
    default:
      letGo(context)
      pass(part, context)
    }
  }

  private func take(_ request: PlainRequest, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
    let sender = self.sender ?? ConnectionSender(context.channel.remoteAddress, shortcut.networkPseudonym)
    self.sender = sender
    let (mailbox, connection) = (mailbox, NIOLoopBound(self, eventLoop: context.eventLoop))
    let timing = ReportFastPath.RequestTiming(id: RequestID(given: request.id), began: .now)
    switch shortcut.take(request, body, from: sender, timing: timing, answer: { mailbox.post($0, to: connection) }) {
    case .taken(let pending):
      state = .taken(pending)
    case .refused(let problem):
      state = .ready
      let answer = FastPathResponse(problem, date: date.now(), id: timing.id)
      shortcut.note(answer, timing)
      write(answer, context)
    case .goesTheLongWay:
      letGo(context)
      pass(.end(nil), context)
    }
  }

  /// Passes the collected parts to the router.
  private func letGo(_ context: ChannelHandlerContext) {
    guard case .gathering(_, let head, let body) = state else { return }
    pass(.head(head), context)
    if let body { pass(.body(body), context) }
  }

  private func pass(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch part {
    case .head:
      unanswered += 1
      state = .passing
    case .body: break
    case .end: state = .ready
    }
    context.fireChannelRead(Self.wrapInboundOut(part))
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // A request in several pieces goes to the router, which has timers and limits.
    letGo(context)
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isTaken else { return held.append(.error(error)) }
    letGo(context)
    context.fireErrorCaught(error)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A commit continues after the client's half-close and during the server's shutdown.
    guard !isTaken else { return held.append(.event(event)) }
    letGo(context)
    context.fireUserInboundEventTriggered(event)
  }

  func read(context: ChannelHandlerContext) {
    guard held.isEmpty else {
      isReadHeld = true
      return
    }
    context.read()
  }

  // MARK: Answers

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = Self.unwrapOutboundIn(data) { unanswered -= 1 }
    context.write(data, promise: promise)
  }

  /// The report is on disk, or has failed.
  func answered(_ result: Result<ReportOutcome, any Error>) {
    guard case .taken(let pending) = state else { return }
    state = .ready
    let allocator = context?.channel.allocator ?? ByteBufferAllocator()
    // Made also after the client has gone, because it settles the limits.
    let answer = shortcut.answer(to: pending, result, date: date.now(), allocator: allocator)
    shortcut.note(answer, pending.timing)
    guard let context, context.channel.isActive else { return }
    write(answer, context)
    if !held.isEmpty { goOn(context) }
  }

  private func write(_ answer: FastPathResponse, _ context: ChannelHandlerContext) {
    if connection.passesAnswer() { return end.write(answer.bytes(context.channel.allocator)) }
    context.write(Self.wrapOutboundOut(.head(answer.head)), promise: nil)
    context.write(Self.wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil)
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
  }

  /// Continues with the input that arrived during a commit.
  private func goOn(_ context: ChannelHandlerContext) {
    let waiting = held
    held = []
    for (index, item) in waiting.enumerated() {
      guard !isTaken else {
        held = Array(waiting[index...])
        return
      }
      switch item {
      case .part(let part): read(part, context)
      case .error(let error): errorCaught(context: context, error: error)
      case .event(let event): userInboundEventTriggered(context: context, event: event)
      }
    }
    if !isTaken { channelReadComplete(context: context) }
    if isReadHeld {
      isReadHeld = false
      context.read()
    }
  }

  private var isTaken: Bool {
    if case .taken = state { true } else { false }
  }
}

/// Makes the handlers of a server's connections. The handlers of one event loop share a mailbox.
package final class ReportFastPathHandlers: Sendable {
  private let shortcut: ReportFastPath
  private let mailboxes = Mutex<[ObjectIdentifier: ResponseMailbox]>([:])

  package init(
    services: APIServices, trustsProxy: Bool, metrics: RequestMetrics, log: RequestLog, logger: Logger
  ) {
    shortcut = ReportFastPath(
      intake: services.intake, limiter: services.limiter, apps: services.apps,
      networkPseudonym: services.pseudonymizer.network(of:), trustsProxy: trustsProxy, logger: logger,
      metrics: metrics, log: log)
  }

  package func makeHandler(
    on loop: any EventLoop, connection: ConnectionLimitHandler, end: ConnectionEnd
  ) -> any ChannelHandler {
    let mailbox = mailboxes.withLock { mailboxes in
      if let mailbox = mailboxes[ObjectIdentifier(loop)] { return mailbox }
      let mailbox = ResponseMailbox(loop: loop)
      mailboxes[ObjectIdentifier(loop)] = mailbox
      return mailbox
    }
    return ReportFastPathHandler(shortcut: shortcut, mailbox: mailbox, connection: connection, end: end)
  }
}

/// The sender of the requests of a connection, computed once for a connection.
struct ConnectionSender {
  /// The key of the sender in the rate limits.
  let network: ClientNetwork
  /// The network's keyed hash; nil where there is no address.
  let pseudonym: [UInt8]?

  private let address: SocketAddress?

  init(_ address: SocketAddress?, _ networkPseudonym: (String) -> [UInt8]?) {
    self.address = address
    network = ClientNetwork(address)
    pseudonym = address?.ipAddress.flatMap(networkPseudonym)
  }

  /// The sender that a trusted proxy forwards for.
  func forwarding(_ header: String?, _ networkPseudonym: (String) -> [UInt8]?) -> ConnectionSender {
    header == nil
      ? self
      : ConnectionSender(
        ClientAddress.of(socket: address, forwarded: header, trustsProxy: true), networkPseudonym)
  }
}
